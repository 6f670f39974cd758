import { expect, test } from 'vitest';
import { everyKind } from '../../support/crashes/crash-kills.ts';
import { expectExact, killStore, openCrashSite, startRound, untilShare } from '../../support/crashes/crash-site.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { sourceRows } from '../../support/crashes/source-rows.ts';

test('kill -9 of the store, and then SIGTERM, in the middle of runs: no row is lost and none is doubled', async () => {
  const random = seededRandom(chooseSeed('lost store'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 50 });
  const first = await site.serve();
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 1500));
  const held = await holdRuns(site, 1300);
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, 0.3 * random())).toBe(true);
  await killStore(site);
  expect(await untilShare(site, round, 0.3 + 0.4 * random())).toBe(true);
  await held.release(site);
  await site.end(first, 'SIGTERM');
  await site.serve();
  await expectExact(site, round);
}, 900_000);
