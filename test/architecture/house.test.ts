// The measures of the house and the check of words are held themselves, on snippets that break each rule.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { closedCitations, libraryOf } from '../../tools/house/citations.ts';
import { codeShapeOf } from '../../tools/house/code-shape.ts';
import { crowdedFolders, missingAtEntrance, singleCallerFiles } from '../../tools/house/layout.ts';
import { roomOf } from '../../tools/house/read-files.ts';
import { retiredWords } from '../../tools/house/retired-words.ts';
import { beginsWithVerb, docCommentsOf, isFragment, looseHeadings, looseHeads } from '../../tools/house/wording.ts';
import { breachesOf, complaintsOf, countBreaches, grownKinds, renewedWaivers } from '../../tools/house/words.ts';

const file = (text: string, path = 'snippet.ts') => ({ path, text });

/** Writes files below a folder of their own and returns that folder. */
function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'house-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('an opening', () => {
  test.each([
    'Of the first attempt; of a retry, the start of its run.',
    'What it left out was for its own attempts.',
    'whether the run is due',
    'As if it had never begun.',
    'Absent: none.',
    '001, Errors: un-nested.',
    '002’s table.',
    'not shown: Where a row goes.',
  ])('without a subject is "%s"', (text) => {
    expect(isFragment(text)).toBe(true);
  });

  test.each([
    'One open connection to a warehouse.',
    'Returns the profiles that own any of `keys`.',
    'In-memory rows.',
    '`of` what.',
    '1,000 rows.',
    '',
  ])('with one is "%s"', (text) => {
    expect(isFragment(text)).toBe(false);
  });

  test.each(['Returns keys.', 'Deletes, then writes.', 'Passes.', 'Re-encrypts.', 'not shown: Takes both.'])(
    'with a verb is "%s"',
    (text) => {
      expect(beginsWithVerb(text)).toBe(true);
    },
  );

  test.each(['The rows.', 'Rows of a page.', 'Its rows.', 'As told.', 'Access.', 'MPIDs.', '`POST` of it.', ''])(
    'without a verb is "%s"',
    (text) => {
      expect(beginsWithVerb(text)).toBe(false);
    },
  );
});

describe('a doc comment', () => {
  test.each([
    ['function f() {}', true],
    ['export const f = () => 1;', true],
    ['const f = async function () {};', true],
    ['class C {\n/** It. */ m() {} }', true],
    ['interface I {\n/** It. */ m(): void }', true],
    ['const o = {\n/** It. */ f: () => 1 };', true],
    ['const x = 1;', false],
    ['type F = () => void;', false],
    ['interface I {\n/** It. */ readonly f: () => void }', false],
  ])('stands on %j', (code, isOnFunction) => {
    const text = code.includes('/**') ? code : `/** It. */\n${code}`;
    expect(docCommentsOf(file(text)).map((comment) => comment.isOnFunction)).toEqual([isOnFunction]);
  });

  test('is found once, with its text and its line', () => {
    const found = docCommentsOf(file('\n/**\n * Reads two\n * lines.\n * @internal\n */\nconst f = (a: 1) => a;\n'));
    expect(found).toEqual([{ path: 'snippet.ts', line: 2, text: 'Reads two lines.', isOnFunction: true }]);
  });
});

test('headings are judged outside of code', () => {
  const text =
    '# Who somebody is\n\n```bash\n# of a shell\n```\n\n## How to add one\n### Identity\n## By hand\n## What arrives\n';
  expect(looseHeadings(file(text)).map(({ line, text: heading }) => [line, heading])).toEqual([
    [1, 'Who somebody is'],
    [10, 'What arrives'],
  ]);
});

test.each([
  ['// What a room holds.\nconst a = 1;', ['What a room holds.']],
  ['// As much of it as is used.', ['As much of it as is used.']],
  ['// Rules of a room. What it holds is below.', []],
  ['const a = 1;\n// what follows is no head', []],
])('the comment that heads a file is judged: %j', (text, found) => {
  expect(looseHeads(file(text)).map((finding) => finding.text)).toEqual(found);
});

describe('a citation', () => {
  const library = libraryOf([file('# D-017 Leases\n\n| D-020 | x |\n', join('docs', 'decisions.md'))]);
  const cited = (text: string) => closedCitations(file(text), library).map((finding) => finding.text);

  test.each([
    ['as the ruling says (rulings §3)', ['ruling', 'rulings']],
    ['// house plan §7', ['house plan']],
    ['/** 002, States;001: both (000’s rows) */', ['002', '001', '000']],
    ["it('takes the body of 000', f)", ['000']],
    ['see issue 17', ['issue 17']],
    ['see ../notes/gone.md', ['notes/gone.md']],
    ['see D-018', ['D-018']],
  ])('is refused in %j', (text, expected) => {
    expect(cited(text)).toEqual(expected);
  });

  test.each([
    '// not shown: both are kept',
    '1,000 rows, 1 000, 0.001 s, 10.000, 12:000',
    "code: '001', path: a/001, id-001, 001-a, (000[1-9]-), 9}000, (?!000), 0001_init.sql, '.000'",
    'see docs/decisions.md, decisions.md, D-017 and D-020',
    'the warehouse plans',
  ])('is none in %j', (text) => {
    expect(cited(text)).toEqual([]);
  });
});

describe('a retired word', () => {
  const wordsIn = (text: string, path: string) => retiredWords(file(text, path)).map((finding) => finding.text);

  test.each([
    ['Mend the model.', 'docs/README.md', ['Mend']],
    ['It is computed anew\nfor somebody.', 'README.md', ['anew', 'somebody']],
    ["fail('Mend the model.');", 'src/main.ts', ['Mend']],
    [
      `fail(\`Row \${row} is there already, \${name} stays where it was.\`);`,
      'src/main.ts',
      ['is there already', 'stays where it was'],
    ],
    ["const x = { meaning: 'left to the janitor' };", 'connectors/facts.ts', ['janitor']],
  ])('is refused in %j of %s', (text, path, expected) => {
    expect(wordsIn(text, path)).toEqual(expected);
  });

  test.each([
    ['The column `mend` says so.\n\n```bash\necho mend it\n```\n', 'docs/README.md'],
    ['Send it anew.', 'docs/spec/events.md'],
    ['We recommend amendments and a renewal.', 'docs/README.md'],
    [`const columns = ['mend'];\n// mend it anew\nconst SOMEBODY = \`\${mend} of \${somebody}\`;`, 'src/main.ts'],
    ["fail('Mend the model.');", 'test/architecture/house.test.ts'],
  ])('is none in %j of %s', (text, path) => {
    expect(wordsIn(text, path)).toEqual([]);
  });
});

test('casts and packing spreads are counted by their kind', () => {
  const text = `
    import { a as b } from './b.ts';
    const one = x as T, two = (list[0]) as T, three = <T>x;
    const none = [1] as const, typed = x satisfies T;
    const packed = { ...{ a, b }, ...(c ? { d } : {}), ...e, list: [...[a, b], ...f] };
    call(...[a]);
  `;
  const { casts, indexedCasts, packingSpreads } = codeShapeOf([file(text)]);
  const texts = (findings: typeof casts) => findings.map((finding) => finding.text);
  expect(texts(casts)).toEqual(['x as T', '(list[0]) as T', '<T>x']);
  expect(texts(indexedCasts)).toEqual(['(list[0]) as T']);
  expect(texts(packingSpreads)).toEqual(['...{ a, b }', '...[a, b]', '...[a]']);
});

describe('the layout', () => {
  test.each([
    [['a.md'], ['.']],
    [['src', 'main.ts'], ['src']],
    [
      ['src', 'room', 'x.ts'],
      ['src', 'room'],
    ],
    [
      ['src', 'room', 'part', 'x.ts'],
      ['src', 'room'],
    ],
  ])('has %j in the room %j', (path, room) => {
    expect(roomOf(path.join('/'))).toBe(room.join('/'));
  });

  test('shows the small files that one neighbour alone imports', () => {
    const room = (name: string, text: string) => file(text, join('src', 'room', name));
    const files = [
      room('index.ts', "export * from './part/caller.ts';\nexport * from './shown.ts';"),
      room(
        join('part', 'caller.ts'),
        "import '../step.ts';\nimport type { T } from '../shared.ts';\nimport '../long.ts';",
      ),
      room('other.ts', "await import('./shared.ts');"),
      ...[room('step.ts', ''), room('shared.ts', ''), room('shown.ts', ''), room('long.ts', '\n'.repeat(45))],
      file('', join('src', 'next', 'used.ts')),
      room('user.ts', "import '../next/used.ts';"),
    ];
    expect(singleCallerFiles(files)).toEqual([join('src', 'room', 'step.ts')]);
  });

  test('shows folders with too many files of their own, and what the entrance lacks', () => {
    const root = treeOf({
      './src/a.ts': '',
      './src/b.ts': '',
      './src/c/d.ts': '',
      './docs/README.md': '',
      './SECURITY.md': '',
    });
    expect([...crowdedFolders(root, ['src', 'gone'], 1)]).toEqual([['src', 2]]);
    expect(missingAtEntrance(root)).toEqual(['CONTRIBUTING', 'CHANGELOG', 'examples']);
  });
});

describe('the words', () => {
  test('of a repository are counted by room and kind', () => {
    const root = treeOf({
      './src/a.ts': '/** Of 001. */\nconst a = 1;\n/** The rows. */\nfunction f() {}\n/** The b. */\nconst b = 1;\n',
      './docs/a.md': '# What arrives\n',
    });
    expect(countBreaches(breachesOf(root))).toEqual({
      docs: { fragments: 1 },
      src: { citations: 1, fragments: 1, verbless: 1 },
    });
  });

  test('are refused when a number has grown, and when it has sunk below its waiver', () => {
    const counts = { a: { fragments: 3 }, b: { verbless: 1 }, c: { citations: 1 } };
    const waivers = { a: { fragments: 2 }, b: { verbless: 2 }, c: { citations: 1 } };
    expect(complaintsOf(counts, waivers)).toEqual([
      'a: 3 fragments, 2 waived. Begin the comment or the heading with its subject.',
      'b: 1 verbless, 2 waived. Lower the number: npm run words -- --write',
    ]);
    expect(complaintsOf(counts, counts)).toEqual([]);
  });

  test('may move between rooms', () => {
    const before = { a: { fragments: 3, citations: 1 } };
    expect(grownKinds({ b: { fragments: 3 } }, before)).toEqual([]);
    expect(grownKinds({ b: { fragments: 3, citations: 1, verbless: 1 }, docs: { fragments: 1 } }, before)).toEqual([
      'fragments',
      'verbless',
    ]);
  });

  test('are lowered also while another kind has grown, which is raised nowhere', () => {
    const waivers = { a: { citations: 1, fragments: 3 }, b: { citations: 2 } };
    const counts = { a: { citations: 4, fragments: 1 }, b: { citations: 1 }, c: { fragments: 2, citations: 1 } };
    expect(renewedWaivers(counts, waivers)).toEqual({
      a: { citations: 1, fragments: 1 },
      b: { citations: 1 },
      c: { fragments: 2 },
    });
  });
});
