import { expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const KEY = Buffer.alloc(32, 'cadences').toString('base64');

test('a daemon without workers has a handler for every cadence, for it works their queue too', async () => {
  await using store = await openTestStore();
  const config = readConfig({
    ...{ DATABASE_URL: store.databaseUrl, PENSTOCK_HOME: '/nowhere', PENSTOCK_PORT: '0', PENSTOCK_WORKERS: '0' },
    ...{ PENSTOCK_ENCRYPTION_KEYS: `k1:${KEY}`, PENSTOCK_IDENTITY_KEY: KEY },
  });
  const app = await createApp(config, { log: createLog('silent') });
  try {
    await app.listen();
    // a daemon declares those that it has handlers for
    const rows = await store.query<{ name: string }>('SELECT name FROM cadences');
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['dsr-callbacks', 'dsr-forwards', 'dsr-results', 'sweep-runs']));
  } finally {
    await app.drain(5000);
  }
});
