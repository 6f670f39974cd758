import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProfile } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { attributeSets, people, policiesOf, STRATEGIES } from '../../support/people/people-rows.ts';
import { SideBySide } from '../../support/people/people-side-by-side.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const modes = fc.constantFrom('full' as const, 'incremental' as const);
const chunks = fc.array(fc.record({ rows: fc.array(people, { maxLength: 6 }), mode: modes }), { maxLength: 5 });

describe.each(STRATEGIES)('%s', (strategy) => {
  it('resolves and merges any sequence of chunks as one person at a time would', async () => {
    await using store = await openTestStore();
    let workspace = 100n;
    await fc.assert(
      fc.asyncProperty(policiesOf(strategy), chunks, async (policy, sequence) => {
        const pair = new SideBySide(store, { ...SCOPE, workspaceId: workspaceId(workspace++), policy });
        for (const { rows, mode } of sequence) await pair.deliver(rows, mode);
        await pair.compare();
      }),
      { numRuns: 60 },
    );
  }, 600_000);
});

it('never lets workspaces and environments meet', async () => {
  await using store = await openTestStore();
  let workspace = 200_000n;
  const turns = fc.array(fc.record({ rows: fc.array(people, { maxLength: 4 }), of: fc.nat({ max: 2 }), mode: modes }), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(turns, async (sequence) => {
      const [one, other] = [workspaceId(workspace++), workspaceId(workspace++)];
      const scopes = [
        { ...SCOPE, workspaceId: one },
        { ...SCOPE, workspaceId: one, environment: 'development' as const },
        { ...SCOPE, workspaceId: other },
      ];
      const pairs = scopes.map((scope) => new SideBySide(store, scope));
      for (const { rows, of, mode } of sequence) {
        // an MPID of another workspace or environment is one that does not exist
        const stranger = pairs[(of + 1) % 3]?.mpids[0];
        await pairs[of]?.deliver(rows, mode, stranger);
      }
      for (const pair of pairs) await pair.compare();
      const mpids = pairs.flatMap((pair) => pair.mpids);
      expect(new Set(mpids).size).toBe(mpids.length);
    }),
    { numRuns: 50 },
  );
}, 600_000);

/** What attributes hold after writes that arrive in this order: of the latest time the last to arrive. */
function winners(writes: readonly (readonly [string, string | null, bigint])[]) {
  const held = new Map<string, { readonly value: string | null; readonly setAt: bigint }>();
  for (const [name, value, setAt] of writes) {
    if ((held.get(name)?.setAt ?? 0n) <= setAt) held.set(name, { value, setAt });
  }
  return new Map([...held].filter(([, { value }]) => value !== null));
}

it('lets the times of attributes decide in any order of arrival, and the later delivery at equal times', async () => {
  await using store = await openTestStore();
  let workspace = 100_000n;
  const write = fc.record({ attributes: attributeSets, setAt: fc.bigInt({ min: 1n, max: 4n }) });
  const deliveries = fc.array(fc.array(write, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(deliveries, async (sequence) => {
      const scope = { ...SCOPE, workspaceId: workspaceId(workspace++) };
      let mpid = 0n;
      for (const writes of sequence) {
        const chunk = writes.map((each) => ({ ...person({ other: 'o' }), ...each }));
        [mpid = 0n] = mpidsOf(await deliver(store, chunk, scope));
      }
      const arrived = sequence.flat().flatMap(({ attributes: { names, texts }, setAt }) =>
        names.flatMap((name, i) => {
          const text = texts[i];
          return text === undefined ? [] : [[name, text, setAt] as const];
        }),
      );
      const held = (await readProfile(store, scope, mpid))?.attributes ?? [];
      expect(new Map(held.map(({ name, value, setAt }) => [name, { value, setAt }]))).toEqual(winners(arrived));
    }),
    { numRuns: 60 },
  );
}, 600_000);
