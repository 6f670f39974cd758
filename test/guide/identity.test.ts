// docs/identity.md is a list of worked examples: each table is read, played and compared with what it says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkSettings, completeSettings } from '../../src/access/settings/settings.ts';
import {
  DEFAULT_POLICY,
  type IdentityType,
  type Person,
  type PersonOutcome,
  type ResolutionPolicy,
  readProfile,
} from '../../src/identity/index.ts';
import { workspaceId } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { deliver, type Given, mpidsOf, person, SCOPE } from '../support/people/deliver-people.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const PAGE = readFileSync(join(ROOT, 'docs/identity.md'), 'utf8');
const STRATEGIES = ['profile_conversion', 'profile_link', 'profile_isolation', 'best_match'] as const;

/** Cells of the table between the markers of that name, without its head. */
function tableOf(name: string): string[][] {
  const [, table = ''] = PAGE.split(`<!-- ${name} -->`);
  const lines = table.split(`<!-- /${name} -->`)[0]?.trim().split('\n') ?? [];
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

let workspaces = 100n;
const nextScope = (policy: Partial<ResolutionPolicy>) => ({
  ...SCOPE,
  workspaceId: workspaceId(workspaces++),
  policy: { ...DEFAULT_POLICY, ...policy },
});
type Scope = ReturnType<typeof nextScope>;

/** `email=a, other=o`; with a suffix, each example has values of its own. */
function givenOf(text: string, suffix = ''): Given {
  const pairs = text.split(', ').map((pair) => pair.split('=') as [IdentityType, string]);
  return Object.fromEntries(text === '' ? [] : pairs.map(([type, value]) => [type, value + suffix]));
}

const reversed = (given: Given): Given => Object.fromEntries(Object.entries(given).reverse());

/** `logout email=a`, `email=a` */
function requestOf(text: string, { suffix = '', isReversed = false } = {}): Person {
  const [, verb, identities = ''] = /^(?:(identify|login|logout)(?: |$))?(.*)$/.exec(text) ?? [];
  const given = givenOf(identities, suffix);
  const request = { isLogout: verb === 'logout', isReadOnly: false };
  return { ...person(isReversed ? reversed(given) : given), request };
}

/** What a request came to in the words of the page; `names` says which letter an MPID has. */
async function wordsOf(store: Store, outcome: PersonOutcome, { scope, nameOf }: Named): Promise<string[]> {
  if (!('mpid' in outcome)) return ['erased' in outcome ? 'erased' : outcome.rule];
  const source = (await readProfile(store, scope, outcome.mpid))?.sourceMpid ?? null;
  const isCreated = outcome.answer?.isCreated === true;
  return [
    nameOf(outcome.mpid),
    ...(isCreated ? ['new'] : []),
    ...(source === null ? [] : [`source ${nameOf(source)}`]),
  ];
}

interface Named {
  readonly scope: Scope;
  readonly nameOf: (mpid: bigint) => string;
}

test.each(STRATEGIES)('the story comes out under %s as the page says, in one chunk as in many', async (strategy) => {
  await using store = await openTestStore();
  const story = tableOf('story');
  const expected = story.map((cells) => cells[1 + STRATEGIES.indexOf(strategy)]);
  const requests = story.map(([request = '']) => requestOf(request));
  for (const chunks of [[requests], requests.map((request) => [request])]) {
    const scope = nextScope({ strategy });
    const letters: bigint[] = [];
    const outcomes = [];
    for (const chunk of chunks) outcomes.push(...(await deliver(store, chunk, scope)).outcomes);
    const words = [];
    for (const outcome of outcomes) {
      if ('mpid' in outcome && !letters.includes(outcome.mpid)) letters.push(outcome.mpid);
      const nameOf = (mpid: bigint) => String.fromCharCode(65 + letters.indexOf(mpid));
      const said = await wordsOf(store, outcome, { scope, nameOf });
      // the source is told once
      words.push((said.includes('new') ? said : said.slice(0, 1)).join(', '));
    }
    expect(words).toEqual(expected);
  }
});

interface Example {
  readonly index: number;
  readonly profiles: readonly (readonly [string, string])[];
  readonly priority: string;
  readonly request: string;
  readonly expected: readonly string[];
}

const EXAMPLES = tableOf('examples').map(
  ([profiles = '', priority = '', request = '', ...expected], index): Example => {
    const named = profiles === 'none' ? [] : profiles.split('. ').map((each) => each.split(': ') as [string, string]);
    return { index, profiles: named, priority, request, expected };
  },
);
const PRIORITIES = [...new Set(EXAMPLES.map(({ priority }) => priority))];

/** MPIDs of the profiles that the examples begin with, by example: first they are made, oldest first, then they get their identities. */
async function makeProfiles(store: Store, scope: Scope, examples: readonly Example[]) {
  const all = examples.flatMap(({ index, profiles }) => profiles.map(([name, text]) => ({ index, name, text })));
  const made = mpidsOf(
    await deliver(
      store,
      all.map(({ index, name }) => person({ alias: `${index}${name}` })),
      MAKING(scope),
    ),
  );
  const named = all.map(({ index, text }, i) => ({ ...person(givenOf(text, `-${index}`)), mpid: made[i] as bigint }));
  await deliver(store, named, MAKING(scope));
  return new Map(all.map(({ index, name }, i) => [made[i] as bigint, { index, name }]));
}
const MAKING = ({ policy: _, ...scope }: Scope) => scope;

test.each(STRATEGIES.flatMap((strategy) => [false, true].map((isReversed) => ({ strategy, isReversed }))))(
  'each example comes out under $strategy as the page says; identities reversed: $isReversed',
  async (given) => {
    const { strategy, isReversed } = given;
    await using store = await openTestStore();
    const played: string[] = [];
    for (const priority of PRIORITIES) {
      const examples = EXAMPLES.filter((example) => example.priority === priority);
      const scope = nextScope({
        strategy,
        ...(priority !== '' && { priority: priority.split(', ') as IdentityType[] }),
      });
      const profiles = await makeProfiles(store, scope, examples);
      const requests = examples.map(({ request, index }) => requestOf(request, { suffix: `-${index}`, isReversed }));
      const { outcomes } = await deliver(store, requests, scope);
      for (const [i, outcome] of outcomes.entries()) {
        const nameOf = (mpid: bigint) => profiles.get(mpid)?.name ?? '';
        const words = await wordsOf(store, outcome, { scope, nameOf });
        played[examples[i]?.index ?? -1] = words.filter((word) => word !== '').join(', ');
      }
    }
    const page = EXAMPLES.map(({ expected }) => expected[STRATEGIES.indexOf(strategy)]);
    const requested = EXAMPLES.map(({ request, index }) => `${index + 1}. ${request}`);
    expect(requested.map((line, i) => `${line}: ${played[i]}`)).toEqual(
      requested.map((line, i) => `${line}: ${page[i]}`),
    );
  },
);

/** `plan=gold@2, city=null@3` as one person a write. */
function writesOf(text: string, customer: string): Person[] {
  return [...text.matchAll(/(\w+)=(\w+)@(\d+)/g)].map(([, name = '', value = '', at = '0']) =>
    person({ customer_id: customer }, { [name]: value === 'null' ? null : JSON.stringify(value) }, BigInt(at)),
  );
}

test('attributes come out as the page says, in one chunk as in many', async () => {
  await using store = await openTestStore();
  for (const [writes = '', expected = ''] of tableOf('attributes')) {
    const people = writesOf(writes, 'ann');
    for (const chunks of [[people], people.map((each) => [each])]) {
      const scope = nextScope({});
      let mpid = 0n;
      for (const chunk of chunks) [mpid = 0n] = mpidsOf(await deliver(store, chunk, scope));
      const attributes = (await readProfile(store, scope, mpid))?.attributes ?? [];
      const said = attributes.map(({ name, value, setAt }) => `${name}=${JSON.parse(value)}@${setAt}`).join(', ');
      expect([writes, said === '' ? 'nothing' : said]).toEqual([writes, expected]);
    }
  }
});

test('the settings that the page shows are accepted', () => {
  const [, shown = ''] = /```json\n(.*?)```/s.exec(PAGE) ?? [];
  expect(() => checkSettings(completeSettings(JSON.parse(shown)))).not.toThrow();
});
