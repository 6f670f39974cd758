// Sentence 8 and whole runs that write MPIDs back with 100,000 rows, over every warehouse that can be had here; BigQuery’s
// emulator is too slow for more than some thousands.
import { test } from 'vitest';
import type { Fixture } from '../conformance/fixture.ts';
import { sentence } from '../conformance/fleet.ts';
import { writeMany } from '../conformance/writing-back.ts';
import { expectWrittenBack } from '../support/runs/expect-written-back.ts';

const ROWS = 100_000;

const rowsOf = ({ writeBack }: Fixture) => writeBack?.most ?? ROWS;

sentence(`${ROWS} rows are written back`, (fixture) => {
  if (!fixture.connector.capabilities.writeBack) {
    test.skip('by no connector that cannot');
    return;
  }
  test('by a session', () => writeMany(fixture, rowsOf(fixture)), 1_800_000);
  test('by a run, and not again by the next', () => expectWrittenBack(fixture, rowsOf(fixture), 900_000), 1_800_000);
});
