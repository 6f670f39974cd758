import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { chooseSeed } from '../support/crashes/seeded-random.ts';
import { WAREHOUSE_URL } from '../support/fakes/postgres-warehouse.ts';
import { fillTable } from './fill-table.ts';
import { sentence } from './fleet.ts';
import { windowTable } from './window-rows.ts';

const script = fileURLToPath(new URL('windows-in-zone.ts', import.meta.url));

sentence('ten thousand rows in random windows', (fixture) => {
  test('come once each, in the window of their instant, under two process time zones', async () => {
    const seed = chooseSeed(`${fixture.connector.product}, windows`);
    await using warehouse = await fixture.start();
    await fillTable(warehouse, windowTable(fixture, seed));
    const site = JSON.stringify({ config: warehouse.config, environment: warehouse.environment });
    for (const [timeZone, iteratorZone] of [
      ['America/Los_Angeles', 'America/New_York'],
      ['Asia/Tokyo', 'Australia/Lord_Howe'],
    ] as const) {
      const env = { ...process.env, TZ: timeZone, NODE_OPTIONS: '', [WAREHOUSE_URL]: inject('warehouseUrl') };
      const args = [script, fixture.connector.product, site, String(seed), iteratorZone];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 1 << 24 });
      expect(JSON.parse(stdout)).toEqual({ timeZone, wrong: [], count: 0 });
    }
  }, 600_000);
});
