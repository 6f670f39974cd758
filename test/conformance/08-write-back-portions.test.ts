// Sentence 8 for sessions that take the keys of a run in portions and update once. An oracle says what the table holds afterwards,
// however the rows are split.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../src/kernel/index.ts';
import { createStagedKeys } from '../../src/runs/write-back/staged-keys.ts';
import type { Cell, KeyCell, StagedRow } from '../../src/warehouse/index.ts';
import { sentence } from './fleet.ts';
import { NEVER } from './reading.ts';
import {
  applyRequest,
  openWriting,
  type PersonRow,
  peopleOf,
  peopleTable,
  requestWithLoss,
  staged,
  targetOf,
  writeBackOf,
  writing,
} from './writing-back.ts';

const PEOPLE: readonly PersonRow[] = [
  ['ann', 'a', null, null, 1],
  ['ann', 'a', 3n, null, 2],
  ['ann', null, 4n, null, 3],
  [null, 'a', null, null, 4],
  ['Ann', 'a', null, null, 5],
  ['', 'a', null, null, 6],
  ['bob', 'b', 5n, null, 7],
];

const KEYS: readonly (readonly KeyCell[])[] = [...PEOPLE.map(([customer, email]) => [customer, email]), ['zoe', null]];

const resolved = fc.record({
  key: fc.constantFrom(...KEYS),
  mpid: fc.constantFrom(1n, 1n, 1n, 2n),
  readMpid: fc.constantFrom(null, 3n, 4n, 5n),
});
const portioned = fc.array(fc.array(resolved, { maxLength: 8 }), { minLength: 1, maxLength: 4 });

const sentOf = (portion: readonly StagedRow[]) => {
  const keys = createStagedKeys(
    {
      isWhole: true,
      keyOf: (cells: readonly Cell[]) => cells.slice(0, -1) as KeyCell[],
      readMpidOf: (cells: readonly Cell[]) => cells.at(-1) as bigint | null,
    },
    { stagesOthers: true },
  );
  for (const { key, readMpid, mpid } of portion) keys.add([...key, readMpid], mpid);
  return keys.take().rows;
};

const nameOf = (key: readonly KeyCell[]) => JSON.stringify(key);

/** Says what is left where all rows come together. */
function oracle(rows: readonly StagedRow[], withheld: readonly bigint[]) {
  const byKey = Map.groupBy(rows, ({ key }) => nameOf(key));
  let [updated, conflicts] = [0, 0];
  const written = new Map<string, { readonly mpid: bigint; readonly read: readonly (bigint | null)[] }>();
  for (const [name, [first, ...others] = []] of byKey) {
    if (first === undefined) continue;
    if (others.some(({ mpid }) => mpid !== first.mpid)) conflicts += 1;
    else if (!withheld.includes(first.mpid))
      written.set(name, { mpid: first.mpid, read: [null, first.readMpid, ...others.map(({ readMpid }) => readMpid)] });
  }
  const mpids = PEOPLE.map(([customer, email, mpid]) => {
    const wanted = written.get(nameOf([customer, email]));
    if (wanted === undefined) return mpid;
    const isUpdated = wanted.read.includes(mpid);
    if (isUpdated) updated += 1;
    else conflicts += 1;
    return isUpdated ? wanted.mpid : mpid;
  });
  if (written.has(nameOf(['zoe', null]))) conflicts += 1;
  return { mpids, updated, conflicts };
}

sentence('8. write-back in portions', (fixture) => {
  const { portions } = fixture.writeBack ?? {};
  if (portions !== true) {
    test.skipIf(fixture.writeBack === undefined)('is not offered', async () => {
      await using warehouse = await fixture.start();
      await using session = await openWriting(fixture, warehouse);
      expect(writeBackOf(session).openPortions).toBeUndefined();
    });
    return;
  }

  const table = peopleTable(fixture, PEOPLE);

  test('leaves the table that one portion would leave, however the rows are split', () =>
    fc.assert(
      fc.asyncProperty(portioned, fc.constantFrom([], [2n]), (split, withheld) =>
        writing(fixture, table, async (session, warehouse) => {
          const target = await targetOf(fixture, session, ['customer_id', 'email']);
          const request = applyRequest(target, [], { beforeUpdate: async () => withheld, mostListed: 100 });
          const { mpids, ...counts } = oracle(split.flat(), withheld);
          await using opened = writeBackOf(session).openPortions?.(request);
          for (const portion of split) await opened?.load(sentOf(portion), NEVER);
          const { listed, ...result } = (await opened?.apply(NEVER)) ?? {};
          expect(result).toEqual(counts);
          expect(listed).toHaveLength(counts.conflicts);
          expect((await peopleOf(fixture, warehouse)).map(([, , mpid]) => mpid)).toEqual(mpids);
        }),
      ),
      { numRuns: 10 },
    ));

  test('names a key of several people across portions, and writes none of its rows', () =>
    writing(fixture, table, async (session, warehouse) => {
      const target = await targetOf(fixture, session, ['customer_id', 'email']);
      // one of the two is erased meanwhile
      const request = applyRequest(target, [], { beforeUpdate: async () => [2n] });
      await using opened = writeBackOf(session).openPortions?.(request);
      await opened?.load([staged(['ann', 'a'], 1n), staged(['bob', 'b'], 9n), staged(['bob', 'b'], 9n, 5n)], NEVER);
      await opened?.load([staged(['ann', 'a'], 2n), staged(['bob', 'b'], 9n)], NEVER);
      expect(await opened?.apply(NEVER)).toEqual({
        updated: 1,
        conflicts: 1,
        listed: [{ key: ['ann', 'a'], mpid: 1n, found: 'ambiguous' }],
      });
      expect((await peopleOf(fixture, warehouse)).map(([, , mpid]) => mpid)).toEqual([
        null,
        3n,
        4n,
        null,
        null,
        null,
        9n,
      ]);
    }));

  test('touches nothing without a row', () =>
    writing(fixture, table, async (session) => {
      const target = await targetOf(fixture, session);
      const beforeUpdate = () => Promise.reject(new Error('is not called'));
      await using opened = writeBackOf(session).openPortions?.(applyRequest(target, [], { beforeUpdate }));
      await opened?.load([], NEVER);
      expect(await opened?.apply(NEVER)).toEqual({ updated: 0, conflicts: 0, listed: [] });
    }));

  test('writes nothing where a portion has lost a row, or where it is not allowed any more', () =>
    writing(fixture, table, async (session, warehouse) => {
      const target = await targetOf(fixture, session);
      const { openPortions } = writeBackOf(session);
      {
        await using opened = openPortions?.(requestWithLoss(target, []));
        await opened?.load([staged('ann', 1n)], NEVER);
        await opened?.load(requestWithLoss(target, [staged('bob', 1n), staged('zoe', 2n)]).rows, NEVER);
        await expect(opened?.apply(NEVER)).rejects.toMatchObject({
          code: 'WAREHOUSE_UNKNOWN',
          message: expect.stringContaining('The warehouse loaded 2 of 3 keys'),
        });
      }
      const beforeUpdate = () => Promise.reject(new AppError('LEASE_LOST', 'Another worker has it.'));
      await using opened = openPortions?.(applyRequest(target, [], { beforeUpdate }));
      await opened?.load([staged('ann', 1n)], NEVER);
      await expect(opened?.apply(NEVER)).rejects.toMatchObject({ code: 'LEASE_LOST' });
      expect(await peopleOf(fixture, warehouse)).toEqual(PEOPLE);
    }));
});
