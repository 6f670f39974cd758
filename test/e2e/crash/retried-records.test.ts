import { expect, test } from 'vitest';
import { eventsPipeline, PIPELINES, transformationBody } from '../../support/crashes/crash-pipeline.ts';
import { expectExact, openCrashSite, startRound, untilOver, untilShare } from '../../support/crashes/crash-site.ts';
import { duckdbSource } from '../../support/crashes/crash-source.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { differenceOf } from '../../support/crashes/multiset.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { fails, sourceRows } from '../../support/crashes/source-rows.ts';

const ID = 'retried';

test('failed records that are retried arrive once each, also where a daemon was killed meanwhile', async () => {
  const random = seededRandom(chooseSeed('retried records'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 50 });
  const first = await site.serve();
  const { api, folder } = site;
  const pipeline = await eventsPipeline(api, { id: ID, mode: 'full', source: await duckdbSource(folder, ID) });
  // every other row cannot be mapped
  const rows = sourceRows(0, 2000).map((row) => ({ ...row, score: row.number % 2 === 1 ? 'NaN' : '1' }) as const);
  await pipeline.append(rows);
  const round = await startRound(site, [pipeline]);
  await expectExact(site, round);

  await api.put(`/field-transformations/${ID}`, transformationBody(ID, 'score'));
  const failed = rows.filter(fails);
  const held = await holdRuns(site, 800);
  const path = `${PIPELINES}/${ID}/runs/${round.runIds[0]}/failed-records`;
  const { pipeline_run_id } = await api.post(`${path}/retry`, {});
  const run = Number(pipeline_run_id);
  expect(await untilShare(site, { runIds: [run], rows: failed.length }, 0.7 * random())).toBe(true);
  await site.end(first, 'SIGKILL');
  await site.serve();
  await held.release(site);
  const counts = { extracted_records: failed.length, successful_records: failed.length, failed_records: 0 };
  expect(await untilOver(site, pipeline, run)).toMatchObject({ status: 'success', ...counts });

  const mended = failed.map(({ buyer, name, amount }) =>
    JSON.stringify([`${ID}-${buyer}`, name, Number(amount), null]),
  );
  expect(differenceOf([...pipeline.texts(rows), ...mended], await pipeline.kept(site.store))).toEqual({});
  const left = await site.store.query('SELECT FROM failed_records WHERE retried_on IS NULL');
  expect(left).toEqual([]);
}, 900_000);
