import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { someKeys } from '../support/crashes/penstock-process.ts';
import { openTestStore } from '../support/stores/test-store.ts';

test('a daemon opens its port when the partitions of the batch log are there', async () => {
  await using store = await openTestStore();
  const addresses: (string | undefined)[] = [];
  let app: App | undefined;
  const stream = new Writable({
    write(line, _encoding, done) {
      if (String(line).includes('events.partition_made')) addresses.push(app?.url);
      done();
    },
  });
  const config = { DATABASE_URL: store.databaseUrl, PENSTOCK_HOME: '/nowhere', PENSTOCK_PORT: '0', ...someKeys() };
  app = await createApp(readConfig(config), { log: createLog('info', stream) });
  const closed = app.url;
  await app.listen();
  expect(addresses).toEqual([closed, closed, closed]);
  expect(app.url).not.toBe(closed);
  await app.drain(5000);
});
