import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { commandLine } from '../support/runner/command-line.ts';
import { pageOf, README } from '../support/runner/guide-shell.ts';

const { run } = commandLine({});

/** Names under `Commands:` in a help. */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  const [own = ''] = list.split('\n\n');
  return [...own.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

/** Every command of the tree with its help, the program itself first. */
async function allHelp(path: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const { code, out, err } = await run(...path, '--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const below = await Promise.all(commandsIn(out).map((name) => allHelp([...path, name])));
  return [[['penstock', ...path].join(' '), out], ...below.flat()];
}

test('every command has a help that says what it does, without any store or setting', async () => {
  const helps = await allHelp();
  expect(helps.map(([name]) => name)).toEqual([
    'penstock',
    'penstock serve',
    'penstock demo',
    'penstock init',
    'penstock workspace',
    'penstock workspace list',
    'penstock workspace create',
    'penstock workspace provision',
    'penstock credentials',
    'penstock credentials list',
    'penstock credentials create',
    'penstock credentials create platform',
    'penstock credentials create input',
    'penstock credentials rotate',
    'penstock credentials revoke',
    'penstock credentials rights',
    'penstock credentials uses',
    'penstock feed',
    'penstock feed list',
    'penstock feed activate',
    'penstock feed deactivate',
    'penstock keys',
    'penstock keys rotate-signing',
    'penstock keys re-encrypt',
    'penstock pipeline',
    'penstock pipeline list',
    'penstock pipeline show',
    'penstock pipeline runs',
    'penstock pipeline trigger',
    'penstock pipeline cancel',
    'penstock pipeline failed-records',
    'penstock pipeline conflicts',
    'penstock pipeline retry',
    'penstock pipeline watch',
    'penstock groups',
    'penstock groups run',
    'penstock groups runs',
    'penstock groups show',
    'penstock tombstone',
    'penstock tombstone lift',
    'penstock warehouse',
    'penstock warehouse setup-sql',
    'penstock dsr',
    'penstock dsr create',
    'penstock dsr preview',
    'penstock dsr list',
    'penstock dsr show',
    'penstock dsr retry',
    'penstock dsr export',
    'penstock dsr reapply',
    'penstock dsr callbacks',
    'penstock dsr certificate',
    'penstock doctor',
  ]);
  for (const [name, help] of helps) expect(help).toMatch(new RegExp(`^Usage: ${name} .*\\n\\n\\S`));
});

const PAGES = [
  README,
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map(pageOf),
];
const texts = PAGES.map((file) => readFileSync(file, 'utf8'));
const named = (pattern: RegExp) => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))),
];

test('every command that the README and the pages name exists', async () => {
  const names = (await allHelp()).map(([name]) => name);
  const written = named(/(?:penstock\.mjs|`penstock|^ {4}penstock) ([a-z][a-z-]*(?: [a-z][a-z-]*)*)/gm);
  expect(written).toEqual(expect.arrayContaining(['init', 'serve', 'doctor', 'pipeline trigger']));
  // words behind a command are its arguments; behind a group of commands stands one of them
  const isCommand = (words: string) => {
    const path = ['penstock'];
    for (const word of words.split(' ')) {
      if (!names.some((name) => name.startsWith(`${path.join(' ')} `))) return true;
      path.push(word);
      if (!names.includes(path.join(' '))) return false;
    }
    return true;
  };
  expect(written.filter((words) => !isCommand(words))).toEqual([]);
});

test('every script of npm that the README and the pages name exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const wanted = [...named(/npm run ([a-z]+)/g), ...named(/npm (test|start)\b/g)];
  expect(wanted).toEqual(expect.arrayContaining(['demo', 'test', 'verify']));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(wanted));
});
