// kill -9 of the daemon at random moments of its work: every row arrives once all the same.
import { expect, test } from 'vitest';
import { peoplePipeline } from '../support/crash/crash-pipeline.ts';
import { aMomentLater, expectExact, openCrashSite, startRound, untilShare } from '../support/crash/crash-site.ts';
import { duckdbSource } from '../support/crash/crash-source.ts';
import { chooseSeed, seededRandom } from '../support/crash/seeded-random.ts';
import { sourceRows } from '../support/crash/source-rows.ts';

const KILLS = 3;
const ROWS = 3000;

test('a daemon that is killed three times at random loses no row and doubles none', async () => {
  const random = seededRandom(chooseSeed('kills'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 100 });
  let served = await site.serve();
  const rows = sourceRows(0, ROWS);
  const pipelines = [];
  for (const mode of ['full', 'incremental'] as const) {
    const id = `people-${mode}`;
    const pipeline = await peoplePipeline(site.api, { id, mode, source: await duckdbSource(site.folder, id) });
    await pipeline.append(rows);
    pipelines.push(pipeline);
  }
  const round = await startRound(site, pipelines);
  let midway = 0;
  const shares = Array.from({ length: KILLS }, () => random() * 0.8).sort((a, b) => a - b);
  for (const share of shares) {
    midway += Number(await untilShare(site, round, share));
    await aMomentLater(random);
    await site.kill(served);
    served = await site.serve();
  }
  await expectExact(site, round);
  expect(midway).toBe(KILLS);
}, 300_000);
