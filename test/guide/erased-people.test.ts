// docs/erased-people.md is a list of worked examples: each line is played and compared with what it says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { IdentityType, Person } from '../../src/identity/index.ts';
import { workspaceId } from '../../src/kernel/index.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { deliver, mpidsOf, person, SCOPE } from '../support/people/deliver-people.ts';
import { erase } from '../support/people/erase-people.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const PAGE = readFileSync(join(ROOT, 'docs/erased-people.md'), 'utf8');
const [, TABLE = ''] = PAGE.split('<!-- erased -->');
const LINES = (TABLE.split('<!-- /erased -->')[0] ?? '')
  .trim()
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** `email=a, mpid=A`; letters are MPIDs. */
function personOf(text: string, mpids: ReadonlyMap<string, bigint>): Person {
  const pairs = text.split(', ').map((pair) => pair.split('=') as [IdentityType | 'mpid', string]);
  const mpid = mpids.get(pairs.find(([type]) => type === 'mpid')?.[1] ?? '');
  const given = person(Object.fromEntries(pairs.filter(([type]) => type !== 'mpid')));
  return mpid === undefined ? given : { ...given, mpid };
}

test('what comes of people who were erased becomes what the page says', async () => {
  await using store = await openTestStore();
  expect(LINES.length).toBeGreaterThan(15);
  let workspaces = 1n;
  for (const [, there = '', gone = '', comes = '', outcome] of LINES) {
    const scope = { ...SCOPE, workspaceId: workspaceId(workspaces++) };
    const mpids = new Map<string, bigint>();
    for (const one of there.split('. ')) {
      const [name = '', identities = ''] = one.split(': ');
      mpids.set(name, mpidsOf(await deliver(store, [personOf(identities, mpids)], scope))[0] as bigint);
    }
    const erased = gone.split(', ').map((name) => mpids.get(name) as bigint);
    await erase(store, erased, { workspaceId: scope.workspaceId });
    const [environment, identities] = comes.startsWith('development: ')
      ? (['development', comes.slice('development: '.length)] as const)
      : (['production', comes] as const);
    const delivered = await deliver(store, [personOf(identities, mpids)], { ...scope, environment });
    const [became] = delivered.outcomes;
    const known = [...mpids].find(([, mpid]) => became !== undefined && 'mpid' in became && became.mpid === mpid);
    const words = became !== undefined && 'erased' in became ? 'erased' : (known?.[0] ?? 'new');
    expect(words, `${there} | ${gone} | ${comes}`).toBe(outcome);
  }
});
