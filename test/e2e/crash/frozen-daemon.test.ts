import { expect, test } from 'vitest';
import { until } from '../../support/clocks/until.ts';
import { everyKind } from '../../support/crashes/crash-kills.ts';
import { expectExact, openCrashSite, startRound, untilShare } from '../../support/crashes/crash-site.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { sourceRows } from '../../support/crashes/source-rows.ts';

test('a daemon that was frozen past its lease writes nothing more once it thaws, and the other one loses nothing', async () => {
  const random = seededRandom(chooseSeed('frozen'));
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  const frozen = await site.serve();
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 2000));
  const held = await holdRuns(site, 1600);
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, random() * 0.5)).toBe(true);
  process.kill(frozen.daemon.pid, 'SIGSTOP');
  await held.release(site);
  try {
    await site.serve();
    // what it had open when it froze may hold the other one up, but not keep it from taking the runs
    await until(async () => {
      const [run] = await site.store.query('SELECT FROM pipeline_runs WHERE fence > 1');
      return run !== undefined;
    }, 240_000);
  } finally {
    process.kill(frozen.daemon.pid, 'SIGCONT');
  }
  await expectExact(site, round);
  await until(() => frozen.daemon.log().includes('LEASE_LOST'));
}, 900_000);
