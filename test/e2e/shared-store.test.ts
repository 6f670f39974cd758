import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { penstock, someKeys, startDaemon } from '../support/crashes/penstock-process.ts';
import { shopOver } from '../support/runs/shop.ts';
import { install } from '../support/stores/installation.ts';
import { temporaryHome } from '../support/stores/temporary-home.ts';
import { openTestStore } from '../support/stores/test-store.ts';

/** Ids of the runs that a daemon began, from its log. */
const begun = (log: string): readonly string[] =>
  [...log.matchAll(/"run":"(\d+)".*"msg":"run\.started"/g)].map(([, run = '']) => run);

test('two daemons on one store share the runs, each run once', async () => {
  await using place = await temporaryHome();
  await using store = await openTestStore();
  const environment = {
    ...someKeys(),
    ...{ DATABASE_URL: store.databaseUrl, PENSTOCK_WORKERS: '2', PENSTOCK_CHUNK_ROWS: '100' },
  };
  const options = { home: place.path, environment };
  const installation = await install(options);
  await using one = await installation.serve();
  await using other = await installation.serve();

  const shop = shopOver(one.api, installation.folder);
  const ids: string[] = [];
  const ownOnes = () => [begun(one.daemon.log()), begun(other.daemon.log())];
  // each falls due as it is made, and both daemons look for what is due: on a busy machine one of them may be late for six
  await until(async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      ids.push(await shop.pipeline(`${id}${ids.length}`, 1500, { schedule: { type: 'once' } }));
    }
    return ownOnes().every((own) => own.length > 0);
  }, 300_000);
  const ended = await until(async () => {
    const all = (await Promise.all(ids.map((id) => shop.runs(id)))).flat();
    return all.length === ids.length && all.every(({ status }) => status === 'success') ? all : undefined;
  }, 300_000);

  expect(ownOnes().flat().sort()).toEqual(ended.map(({ id }) => String(id)).sort());
}, 900_000);

test('a port that is taken is one clear line', async () => {
  await using place = await temporaryHome();
  await using store = await openTestStore();
  const environment = { DATABASE_URL: store.databaseUrl, ...someKeys(), PENSTOCK_LOG_LEVEL: 'error' };
  await using daemon = await startDaemon({ home: place.path, environment });
  const port = new URL(daemon.url).port;
  const { code, out, err } = await penstock(['serve'], {
    home: place.path,
    environment: { ...environment, PENSTOCK_PORT: port },
  });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is in use, .*PENSTOCK_PORT.*\\n$`));
});
