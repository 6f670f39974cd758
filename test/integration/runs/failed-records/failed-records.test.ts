import { expect, test } from 'vitest';
import { writeFailedRecords } from '../../../../src/runs/failed-records/write-failed-records.ts';
import { COLUMNS } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

test('a failed record is kept whatever its texts hold', async () => {
  await addPipeline(here.store);
  const lease = await here.claim(await here.request());
  const refusal = {
    rule: 'event_type',
    field: 'ki\u0000nd',
    value: 'half \ud83d',
    reason: 'The kind "\u0000" is none.',
  };
  const refused = [{ row: ['a\u0000@example.org', '\ud83d', null], index: 0, refusal }];
  await here.store.transaction((tx) =>
    writeFailedRecords(tx, { lease, columns: { id: 1, columns: COLUMNS }, refused, after: 0, nowMs: 0 }),
  );
  expect(await here.store.query('SELECT field, value, reason FROM failed_records')).toEqual([
    { field: 'ki\u2400nd', value: 'half \ufffd', reason: 'The kind "\u2400" is none.' },
  ]);
});
