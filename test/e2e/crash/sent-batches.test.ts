import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../../support/clocks/until.ts';
import { keptNames, startLoad } from '../../support/crashes/batch-load.ts';
import { killStore, openCrashSite } from '../../support/crashes/crash-site.ts';
import { differenceOf } from '../../support/crashes/multiset.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';

/** Batches that are answered between two blows. */
const BETWEEN = 150;

test('kill -9 of daemon and store under load: every batch that was answered 202 is there once', async () => {
  const random = seededRandom(chooseSeed('sent batches'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 50 });
  let served = await site.serve();
  const load = await startLoad(site);
  const more = async () => {
    const enough = load.answered.size + BETWEEN;
    await until(() => load.answered.size >= enough, 120_000);
    await pause(random() * 40);
  };
  await more();
  await site.end(served, 'SIGKILL');
  served = await site.serve();
  await more();
  await killStore(site);
  await more();
  await site.end(served, 'SIGKILL');
  await site.serve();
  await more();
  await load.end();

  const kept = await keptNames(site.store);
  const lost = kept.filter((name) => load.unknown.has(name));
  expect(lost).toHaveLength(new Set(lost).size);
  expect(
    differenceOf(
      load.answered,
      kept.filter((name) => !load.unknown.has(name)),
    ),
  ).toEqual({});
  const [people] = await site.store.query<{ profiles: bigint }>('SELECT count(*) AS profiles FROM profiles');
  expect(people?.profiles).toBe(40n);
}, 900_000);
