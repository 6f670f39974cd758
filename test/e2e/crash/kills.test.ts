import { expect, test } from 'vitest';
import { everyKind, strikeRound } from '../../support/crashes/crash-kills.ts';
import { isAlive, openCrashSite, serverPid } from '../../support/crashes/crash-site.ts';
import { penstock } from '../../support/crashes/penstock-process.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { sourceRows } from '../../support/crashes/source-rows.ts';

const KILLS = 3;

test('a daemon that is killed three times at random moments loses no row and doubles none', async () => {
  const random = seededRandom(chooseSeed('kills'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 50 });
  let served = await site.serve();
  const pipelines = await everyKind(site);
  for (const pipeline of pipelines) await pipeline.append(sourceRows(0, 1500));
  const { code, err } = await penstock(['serve'], site.options);
  expect([code, err]).toEqual([2, expect.stringContaining(`Another Penstock daemon (pid ${served.daemon.pid}) uses `)]);

  const strike = async () => {
    const server = await serverPid(site);
    await site.end(served, 'SIGKILL');
    expect(isAlive(server)).toBe(true);
    served = await site.serve();
    expect(isAlive(server)).toBe(false);
    expect(served.daemon.log()).toContain('store.orphan_stopped');
  };
  expect(await strikeRound(site, pipelines, { count: KILLS, random, strike })).toBe(KILLS);
}, 900_000);
