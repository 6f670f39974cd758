import { expect, test } from 'vitest';
import { everyKind, strikeRound } from '../../support/crash/crash-kills.ts';
import { openCrashSite } from '../../support/crash/crash-site.ts';
import { chooseSeed, seededRandom } from '../../support/crash/seeded-random.ts';
import { sourceRows } from '../../support/crash/source-rows.ts';

const KILLS = 3;

test('a daemon that is killed three times at random moments loses no row and doubles none', async () => {
  const random = seededRandom(chooseSeed('kills'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 50 });
  let served = await site.serve();
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 2000));
  const strike = async () => {
    await site.end(served, 'SIGKILL');
    served = await site.serve();
  };
  expect(await strikeRound(site, pipelines, { count: KILLS, random, strike })).toBe(KILLS);
}, 300_000);
