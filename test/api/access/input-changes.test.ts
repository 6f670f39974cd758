import { describe, expect, test } from 'vitest';
import { changeInputUses, revokeInputCredential, rotateInputCredential } from '../../../src/access/index.ts';
import {
  basicOf,
  inputCallers,
  readyInput as ready,
  someInput,
  type TestInput,
} from '../../support/apis/input-probes.ts';
import { ACTOR, someWorkspace } from '../../support/apis/test-access.ts';

const SECONDS = 1000;

describe('a change of a key', () => {
  /** Longer than any daemon believes what it read. */
  const UNTIL_KNOWN = 5 * SECONDS;

  test('of its secret leaves the old one valid until its end, in both forms, and then not', async () => {
    await using at = await ready();
    const graceMs = 60 * SECONDS;
    const made = await rotateInputCredential(at.access, { key: at.input.key, graceMs, actor: ACTOR });
    const newer = { key: made.key, secret: made.secret.reveal() };
    const statuses = async (input: TestInput) => [
      (await at.basic('/v2/events', input.key, input.secret)).status,
      (await at.signed(input, { url: '/v1/identify' })).status,
    ];
    expect(await statuses(at.input)).toEqual([200, 200]);
    expect(await statuses(newer)).toEqual([200, 200]);
    at.access.clock.advance(graceMs - 1);
    expect(await statuses(at.input)).toEqual([200, 200]);
    at.access.clock.advance(1);
    expect(await statuses(at.input)).toEqual([403, 401]);
    expect(await statuses(newer)).toEqual([200, 200]);
  });

  test('reaches every daemon within seconds: revocation', async () => {
    await using at = await ready();
    const other = inputCallers(at.access);
    const statuses = async () => [
      (await at.basic('/v2/events', at.input.key, at.input.secret)).status,
      (await other.basic('/v2/events', at.input.key, at.input.secret)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await revokeInputCredential(at.access, { key: at.input.key, actor: ACTOR });
    at.access.clock.advance(UNTIL_KNOWN);
    expect(await statuses()).toEqual([403, 403]);
  });

  test('reaches every daemon within seconds: uses', async () => {
    await using at = await ready();
    const other = inputCallers(at.access);
    const web = { url: `/v3/JS/${at.input.key}/events` };
    expect((await other.post(web)).status).toBe(403);
    await changeInputUses(at.access, { key: at.input.key, uses: ['web', 'server', 'web'], actor: ACTOR });
    at.access.clock.advance(UNTIL_KNOWN);
    expect((await other.post(web)).status).toBe(200);
    expect((await other.basic('/v2/events', at.input.key, at.input.secret)).status).toBe(200);
    await changeInputUses(at.access, { key: at.input.key, uses: ['web'], actor: ACTOR });
    at.access.clock.advance(UNTIL_KNOWN);
    expect((await other.basic('/v2/events', at.input.key, at.input.secret)).status).toBe(403);
  });

  test('a key that was just made is known at once', async () => {
    await using at = await ready();
    const { key, secret } = await someInput(at.access, at.workspaceId);
    expect((await at.basic('/v2/events', key, secret)).status).toBe(200);
  });

  test('to no use or an unknown one is refused by name', async () => {
    await using at = await ready();
    const change = (uses: readonly string[]) => changeInputUses(at.access, { key: at.input.key, uses, actor: ACTOR });
    await expect(change([])).rejects.toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path: 'uses' }] });
    await expect(change(['server', 'all'])).rejects.toThrow('identity_key_only');
  });
});

describe('failures', () => {
  const fail = async (times: number, attempt: () => Promise<{ status: number }>) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await attempt()).status);
    return statuses;
  };

  test('under one key make those who guess wait, and never the right secret', async () => {
    await using at = await ready();
    const { key, secret } = at.input;
    const from = (address: string, password: string) =>
      at.post({ url: '/v2/events', address, headers: { authorization: basicOf(key, password) } });
    const statuses = await fail(21, () => from('10.0.0.1', 'wrong'));
    expect(statuses).toEqual([...Array(20).fill(403), 429]);
    const refused = await from('10.0.0.1', 'wrong');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await from('10.0.0.1', secret)).status).toBe(200);
    expect((await from('10.0.0.2', 'wrong')).status).toBe(403);
    at.access.clock.advance(60 * SECONDS);
    expect((await from('10.0.0.1', 'wrong')).status).toBe(403);
  });

  test('with unknown keys do not slow a good key at the same address, though it is new to the daemon', async () => {
    await using at = await ready();
    const { key, secret } = at.input;
    const statuses = await fail(21, () => at.basic('/v1/identify', 'f'.repeat(32), 'wrong'));
    expect(statuses).toEqual([...Array(20).fill(401), 429]);
    expect((await at.basic('/v1/identify', key, secret)).status).toBe(200);
  });
});

test('keys alone are limited by address: fifty a second', async () => {
  await using at = await ready(['web', 'write_key']);
  const web = (address: string) => at.post({ url: `/v3/JS/${at.input.key}/events`, address });
  const statuses: number[] = [];
  for (let i = 0; i < 51; i++) statuses.push((await web('10.0.0.1')).status);
  expect(statuses).toEqual([...Array(50).fill(200), 429]);
  expect((await web('10.0.0.2')).status).toBe(200);
  for (let i = 0; i < 51; i++) expect((await at.basic('/v1/batch', at.input.key, '')).status).toBe(200);
  at.access.clock.advance(20);
  expect((await web('10.0.0.1')).status).toBe(200);
});

test('an event batch of one workspace stays there: the key decides', async () => {
  await using at = await ready();
  const { workspaceId } = await someWorkspace(at.access);
  const { key, secret } = await someInput(at.access, workspaceId);
  expect((await at.basic('/v2/events', key, at.input.secret)).status).toBe(403);
  expect((await at.basic('/v2/events', key, secret)).status).toBe(200);
});
