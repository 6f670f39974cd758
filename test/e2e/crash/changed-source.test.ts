import { expect, test } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { everyKind } from '../../support/crashes/crash-kills.ts';
import type { CrashPipeline } from '../../support/crashes/crash-pipeline.ts';
import {
  expectExact,
  letLeasesEnd,
  openCrashSite,
  startRound,
  untilOver,
  untilShare,
} from '../../support/crashes/crash-site.ts';
import { postgresSources } from '../../support/crashes/crash-source.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { differenceOf } from '../../support/crashes/multiset.ts';
import { type SourceRow, sourceRows } from '../../support/crashes/source-rows.ts';

/** A third of the rows gets another amount, a third goes, a third stays, and some are new. */
const STATEMENTS = [
  'UPDATE shop_rows SET amount = amount + 5000 WHERE number % 3 = 0',
  'DELETE FROM shop_rows WHERE number % 3 = 1',
];

function changed(rows: readonly SourceRow[]): readonly SourceRow[] {
  const dearer = (row: SourceRow) => ({ ...row, amount: (Number(row.amount) + 5000).toFixed(2) });
  return rows.filter(({ number }) => number % 3 !== 1).map((row) => (row.number % 3 === 0 ? dearer(row) : row));
}

/** What a killed daemon had sent is done, or was given up. */
async function untilQuiet(store: Store): Promise<void> {
  const busy = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`;
  await until(async () => (await store.query(busy)).length === 0);
}

test('a source that changed between a crash and the next start: what was kept stays, and every row as it is now arrives', async () => {
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  const first = await site.serve();
  const pipelines = await everyKind(site);
  const rows = sourceRows(0, 2000);
  for (const pipeline of pipelines) await pipeline.append(rows);
  const held = await holdRuns(site, 1200);
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, 0.4)).toBe(true);
  await site.end(first, 'SIGKILL');
  await held.release(site);
  await untilQuiet(site.store);

  // behind the range, which the first attempt had fixed
  const added = sourceRows(2000, 2100, 0);
  const kept = new Map<CrashPipeline, readonly string[]>();
  for (const pipeline of pipelines) {
    kept.set(pipeline, await pipeline.kept(site.store));
    for (const statement of STATEMENTS) await pipeline.source.run(statement);
    await pipeline.append(added);
  }
  await letLeasesEnd(site);
  await site.serve();
  for (const pipeline of pipelines) {
    const run = await untilOver(site, pipeline, round.runs.get(pipeline) ?? 0);
    expect(run).toMatchObject({ status: 'success', deduplicated_records: 0 });
    expect(run.extracted_records).toBe(Number(run.successful_records) + Number(run.failed_records));
    const now = [...changed(rows), ...(pipeline.mode === 'full' ? added : [])];
    const expected = pipeline.together(kept.get(pipeline) ?? [], pipeline.texts(now));
    expect({ [pipeline.id]: differenceOf(expected, await pipeline.kept(site.store)) }).toEqual({ [pipeline.id]: {} });
  }
}, 900_000);

test('a source that changes while a run reads it: the run delivers it as it was when it began', async () => {
  await using sources = await postgresSources();
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  await site.serve();
  const pipelines = await everyKind(site, sources.open);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 2000));
  const held = await holdRuns(site, 1000);
  const round = await startRound(site, pipelines);
  // every run has begun to read
  await until(async () => {
    const [row] = await site.store.query('SELECT FROM pipeline_runs WHERE extracted_records = 0');
    return row === undefined;
  });
  for (const { source } of pipelines) for (const statement of STATEMENTS) await source.run(statement);
  await held.release(site);
  await expectExact(site, round);
}, 900_000);
