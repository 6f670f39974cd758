import { expect, test } from 'vitest';
import { until } from '../../support/clocks/until.ts';
import { everyKind } from '../../support/crashes/crash-kills.ts';
import { expectExact, openCrashSite, startRound, untilShare } from '../../support/crashes/crash-site.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { sourceRows } from '../../support/crashes/source-rows.ts';

const EARLY_SHARE = 0.3;

test('of two daemons on one store one is killed in mid-run, and the other one takes its runs over', async () => {
  const random = seededRandom(chooseSeed('one of two'));
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  const daemons = [await site.serve(), await site.serve()];
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 1500));
  const held = await holdRuns(site, 1000);
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, random() * EARLY_SHARE)).toBe(true);
  // on a busy machine one of them may have taken all four
  const killed = await until(() => daemons.find(({ daemon }) => daemon.log().includes('"msg":"run.started"')));
  await site.end(killed, 'SIGKILL');
  await held.release(site);
  await expectExact(site, round);
  const taken = await site.store.query('SELECT FROM pipeline_runs WHERE fence > 1');
  expect(taken.length).toBeGreaterThan(0);
}, 900_000);
