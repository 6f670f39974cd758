import { expect, test } from 'vitest';
import { everyKind } from '../../support/crashes/crash-kills.ts';
import { expectExact, openCrashSite, startRound, untilShare } from '../../support/crashes/crash-site.ts';
import { postgresSources } from '../../support/crashes/crash-source.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { sourceRows } from '../../support/crashes/source-rows.ts';

test('a warehouse whose sockets drop in mid-stream is read again, and no row is lost or doubled', async () => {
  const random = seededRandom(chooseSeed('dropped socket'));
  await using sources = await postgresSources();
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  const { daemon } = await site.serve();
  const pipelines = await everyKind(site, sources.open);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 1500));
  const held = await holdRuns(site, 1100);
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, 0.1 + 0.55 * random())).toBe(true);
  sources.proxy.cut();
  sources.proxy.repair();
  await held.release(site);
  await expectExact(site, round);
  expect(daemon.log()).toContain('WAREHOUSE_SESSION_LOST');
}, 900_000);
