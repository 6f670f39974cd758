import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { WAREHOUSE_URL } from '../support/fakes/postgres-warehouse.ts';
import { sentence } from './fleet.ts';

const script = fileURLToPath(new URL('edges-in-zone.ts', import.meta.url));

sentence('7. [start, end) is exact at both edges for each iterator type, under two process time zones', (fixture) => {
  test.each(['America/Los_Angeles', 'Asia/Tokyo'])('in %s', async (zone) => {
    const env = { ...process.env, TZ: zone, NODE_OPTIONS: '', [WAREHOUSE_URL]: inject('warehouseUrl') };
    const { stdout } = await promisify(execFile)(process.execPath, [script, fixture.connector.product], { env });
    expect(JSON.parse(stdout)).toEqual({
      zone,
      timestamp_tz: ['first', 'inside', 'last'],
      timestamp_ltz: ['first', 'inside', 'last'],
      timestamp_ntz: ['first', 'inside', 'last'],
      timestamp: ['first', 'inside', 'last'],
      date: ['first', 'inside', 'last'],
      timestamp_unixtime_ms: ['first', 'inside', 'last'],
      timestamp_unixtime_s: ['first', 'inside', 'last'],
      nulls: 1,
    });
  });
});
