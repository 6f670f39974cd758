// Resume hashes of failed rows of a person who is erased: they go from the ledgers of all runs of the time line.
import { expect, test } from 'vitest';
import { eraseFailedRecords } from '../../../../src/runs/index.ts';
import { eraseHashes } from '../../../../src/runs/ledger/erase-hashes.ts';
import { INCREMENTAL } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, countsOf, IDENTITY_KEY, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();
const { attempt } = here;

const hashesOf = async (runId: bigint) => {
  const chunks = await here.store.query<{ delivered: Uint8Array }>(
    'SELECT delivered FROM run_chunks WHERE workspace_id = $1 AND run_id = $2 ORDER BY after_rows',
    [WORKSPACE, runId],
  );
  return Buffer.concat(chunks.map(({ delivered }) => delivered)).toString('hex');
};

test('the hash of a failed row goes from the ledger of another run too, and those of other rows stay', async () => {
  await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1d' } });
  here.warehouse.rows = [[null, 'Nowhere', '2026-01-15T11:00:00.000000Z']];
  const first = await attempt();
  expect(countsOf(first)).toEqual([1, 0, 1, 0, 0]);
  const failed = await hashesOf(first.id);
  expect(failed).toHaveLength(32);

  here.clock.advance(3_600_000);
  here.warehouse.rows = [['ann@example.org', 'Rome', '2026-01-15T12:30:00.000000Z']];
  const second = await attempt();
  expect(countsOf(second)).toEqual([1, 1, 0, 0, 0]);
  const other = await hashesOf(second.id);
  // as if it had read an equal row
  await here.store.execute(
    "UPDATE run_chunks SET delivered = decode($3, 'hex') || delivered || decode($3, 'hex') WHERE workspace_id = $1 AND run_id = $2",
    [WORKSPACE, second.id, failed],
  );
  const records = [{ runId: first.id, id: 1n }];
  const undone = new Error('Only counted.');
  const counting = here.store.transaction(async (tx) => {
    const erase = () => eraseHashes(tx, { workspaceId: WORKSPACE, records, ledgerKey: IDENTITY_KEY });
    expect([await erase(), await erase()]).toEqual([3, 0]);
    throw undone;
  });
  await expect(counting).rejects.toBe(undone);
  // a run that was requeued from the start says no more how it recognised its rows
  const requeued = here.store.transaction(async (tx) => {
    await tx.execute('UPDATE pipeline_runs SET snapshot = NULL');
    expect(await eraseHashes(tx, { workspaceId: WORKSPACE, records, ledgerKey: IDENTITY_KEY })).toBe(0);
    throw undone;
  });
  await expect(requeued).rejects.toBe(undone);
  await here.store.transaction((tx) =>
    eraseFailedRecords(tx, { workspaceId: WORKSPACE, records, ledgerKey: IDENTITY_KEY }),
  );
  expect(await hashesOf(second.id)).toBe(other);
  expect(await hashesOf(first.id)).toBe('');
});
