import { expect } from 'vitest';
import type { Fixture } from '../../conformance/fixture.ts';
import { manyPeople, type PersonRow, peopleOf } from '../../conformance/writing-back.ts';
import { countsOf } from './test-engine.ts';
import { type Known, openWrittenBack } from './written-back.ts';

/** Small chunks, so that even few rows take several. */
const CHUNKS = 4;
const MOST_CHUNK_ROWS = 500;

const knownOf = (rows: readonly PersonRow[]) => rows.map(([customer, email]): Known => [customer, email]);
const untouched = (rows: readonly PersonRow[]) =>
  rows.map(([customer, email, , note, n]) => [customer, email, note, n]);
const mpidsIn = (rows: readonly PersonRow[]) => rows.map(([, , mpid]) => mpid);

/**
 * Half of the people are known before; afterwards the table says what the profiles say, and says it again.
 */
export async function expectWrittenBack(fixture: Fixture, count: number, patienceMs?: number): Promise<void> {
  const chunkRows = Math.min(MOST_CHUNK_ROWS, count / CHUNKS);
  await using here = await openWrittenBack(fixture, manyPeople(fixture, count), {
    settings: { chunkRows },
    ...(patienceMs !== undefined && { patienceMs }),
  });
  const before = await peopleOf(fixture, here.warehouse);
  const known = await here.resolve(knownOf(before.slice(0, count / 2)));
  const pipeline = await here.pipeline();
  const first = await here.run(pipeline);
  expect(countsOf(first)).toEqual([count, count, 0, 0, 0]);
  expect(first).toMatchObject({ writtenRecords: BigInt(count), conflictingRecords: 0n, warnings: [] });
  const after = await peopleOf(fixture, here.warehouse);
  expect(untouched(after)).toEqual(untouched(before));
  expect(mpidsIn(after).slice(0, count / 2)).toEqual(known);
  // to resolve them now makes nobody
  expect(mpidsIn(after)).toEqual(await here.resolve(knownOf(before)));

  const second = await here.run(pipeline);
  expect(countsOf(second)).toEqual([count, count, 0, 0, 0]);
  expect(second).toMatchObject({ writtenRecords: 0n, conflictingRecords: 0n, warnings: [] });
  expect(await peopleOf(fixture, here.warehouse)).toEqual(after);
}
