import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createTombstones, runExclusively } from '../../../src/identity/index.ts';
import { createLog, workspaceId } from '../../../src/kernel/index.ts';
import { resolveKeys } from '../../../src/store/index.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';

let cli: CliStore;
beforeAll(async () => {
  cli = await openCliStore();
});
afterAll(() => cli[Symbol.asyncDispose]());

test('tombstone lift lets an identity come back, once, and says so in the audit log', async () => {
  await cli.penstock.json('init');
  const { store, environment } = cli;
  const { identityKey } = await resolveKeys(readConfig(environment), createLog('silent'));
  const id = workspaceId(1n);
  const identities = [{ type: 'email', value: 'gone@example.org' }] as const;
  await runExclusively(store, id, (tx) =>
    createTombstones(identityKey).erasePeople(tx, { workspaceId: id, people: [], identities, nowMs: 0 }),
  );
  const lifted = await cli.penstock.json('tombstone', 'lift', 'email', 'Gone@example.org');
  expect(lifted).toEqual({ identity_type: 'email', tombstones_lifted: 2 });
  expect(await store.query('SELECT 1 FROM tombstones')).toEqual([]);
  const entries = await store.query<{ text: string }>(
    `SELECT a::text AS text FROM audit_log a WHERE action = 'tombstone.lifted'`,
  );
  expect(entries).toHaveLength(2);
  expect(entries.map(({ text }) => text).join()).not.toContain('gone');
  const again = await cli.penstock.run('tombstone', 'lift', 'email', 'gone@example.org');
  expect(again.code).not.toBe(0);
  expect(again.err).toContain('There is no tombstone of the email');
});

test('tombstone lift refuses what can have no tombstone', async () => {
  const device = await cli.penstock.run('tombstone', 'lift', 'mp_deviceid', 'phone');
  expect(device.err).toContain('must be one of customer_id');
  expect((await cli.penstock.run('tombstone', 'lift', 'email', ' ')).err).toContain('is empty');
});
