import { expect, test } from 'vitest';
import { everyKind } from '../../support/crash/crash-kills.ts';
import { expectExact, openCrashSite, startRound, untilShare } from '../../support/crash/crash-site.ts';
import { chooseSeed, seededRandom } from '../../support/crash/seeded-random.ts';
import { sourceRows } from '../../support/crash/source-rows.ts';

/** Each daemon works on two of the four runs: before this share neither can be done with both of its own. */
const EARLY_SHARE = 0.3;

test('of two daemons on one store one is killed in mid-run, and the other one takes its runs over', async () => {
  const random = seededRandom(chooseSeed('one of two'));
  await using site = await openCrashSite({ store: 'shared', chunkRows: 50 });
  const killed = await site.serve();
  await site.serve();
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 1500));
  const round = await startRound(site, pipelines);
  expect(await untilShare(site, round, random() * EARLY_SHARE)).toBe(true);
  await site.end(killed, 'SIGKILL');
  await expectExact(site, round);
  const taken = await site.store.query('SELECT FROM pipeline_runs WHERE fence > 1');
  expect(taken.length).toBeGreaterThan(0);
}, 300_000);
