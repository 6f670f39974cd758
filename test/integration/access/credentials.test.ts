import { describe, expect, test } from 'vitest';
import {
  accessSecrets,
  changePlatformCredential,
  createInputCredential,
  createPlatformCredential,
  createSigningKeys,
  listInputCredentials,
  listPlatformCredentials,
  revokeInputCredential,
  revokePlatformCredential,
  rotateInputCredential,
  rotatePlatformCredential,
} from '../../../src/access/index.ts';
import { AppError, type Secret, workspaceId } from '../../../src/kernel/index.ts';
import {
  ACTOR,
  openTestAccess,
  someCredential,
  someWorkspace,
  type TestAccess,
  testKeyRing,
} from '../../support/apis/test-access.ts';
import { reencryptAll } from '../../support/stores/reencrypt-all.ts';

/** Every row of every table of this room, as text. */
async function everythingStored({ store }: TestAccess): Promise<string> {
  const tables = ['platform_credentials', 'input_credentials', 'signing_keys', 'audit_log', 'workspace_settings'];
  const texts = tables.map((table) => store.query<{ row: string }>(`SELECT ${table}::text AS row FROM ${table}`));
  return (await Promise.all(texts))
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

const hexOf = (secret: Secret): string => Buffer.from(secret.reveal()).toString('hex');

describe('platform credentials', () => {
  test('are listed without their secrets', async () => {
    await using access = await openTestAccess();
    const { workspaceId: id, accountId } = await someWorkspace(access);
    access.clock.advance(1);
    const made = await someCredential(access, accountId, { role: 'read', workspaceIds: [id] });
    const [, listed] = await listPlatformCredentials(access.store);
    expect(listed).toEqual({
      clientId: made.clientId,
      accountId,
      name: expect.any(String),
      role: 'read',
      workspaceIds: [id],
      previousUntil: null,
      createdOn: new Date(access.clock.nowMs()),
      revokedOn: null,
    });
  });

  test('leave no secret in the store, the audit log included', async () => {
    await using access = await openTestAccess();
    const { accountId, credential } = await someWorkspace(access);
    const made = await someCredential(access, accountId, { role: 'admin' });
    const rotated = await rotatePlatformCredential(access, { clientId: made.clientId, graceMs: 1000, actor: ACTOR });
    const stored = await everythingStored(access);
    for (const secret of [credential?.clientSecret, made.clientSecret, rotated.clientSecret]) {
      if (secret === undefined) throw new Error('No secret.');
      expect(stored).not.toContain(secret.reveal());
      expect(stored).not.toContain(hexOf(secret));
    }
  });

  test('are refused for workspaces of another account, for none, and under a name that is taken', async () => {
    await using access = await openTestAccess();
    const mine = await someWorkspace(access);
    const theirs = await someWorkspace(access);
    const wanted = { accountId: mine.accountId, name: 'job', role: 'read', actor: ACTOR } as const;
    const create = (workspaceIds: readonly bigint[] | undefined) =>
      createPlatformCredential(access, { ...wanted, workspaceIds: workspaceIds?.map(workspaceId) });
    await expect(create([mine.workspaceId, theirs.workspaceId])).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(create([])).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const { clientId } = await create(undefined);
    await expect(create(undefined)).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
    await revokePlatformCredential(access, { clientId, actor: ACTOR });
    expect((await create(undefined)).clientId).not.toBe(clientId);
  });

  test('once revoked can be neither rotated, changed nor revoked again', async () => {
    await using access = await openTestAccess();
    const { accountId } = await someWorkspace(access);
    const { clientId } = await someCredential(access, accountId, { role: 'admin' });
    await revokePlatformCredential(access, { clientId, actor: ACTOR });
    const refused = { code: 'VALIDATION_FAILED', message: expect.stringContaining('revoked') };
    const rights = { role: 'read', workspaceIds: undefined } as const;
    await expect(rotatePlatformCredential(access, { clientId, graceMs: 0, actor: ACTOR })).rejects.toMatchObject(
      refused,
    );
    await expect(changePlatformCredential(access, { clientId, rights, actor: ACTOR })).rejects.toMatchObject(refused);
    await expect(revokePlatformCredential(access, { clientId, actor: ACTOR })).rejects.toMatchObject(refused);
    await expect(revokePlatformCredential(access, { clientId: 'nobody', actor: ACTOR })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('rotated twice at the same time tell the one that lost', async () => {
    await using access = await openTestAccess();
    const { accountId } = await someWorkspace(access);
    const { clientId } = await someCredential(access, accountId, { role: 'admin' });
    const rotate = () => rotatePlatformCredential(access, { clientId, graceMs: 0, actor: ACTOR });
    const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
    const lost = outcomes.filter(({ status }) => status === 'rejected');
    for (const outcome of lost) expect(outcome).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
    const entries = await access.store.query(
      `SELECT action FROM audit_log WHERE action = 'platform_credential.rotated'`,
    );
    expect(lost.length).toBeLessThan(3);
    expect(entries).toHaveLength(3 - lost.length);
  });

  test('write their change to every workspace they reach, before or after', async () => {
    await using access = await openTestAccess();
    const first = await someWorkspace(access, 'one');
    const { accountId } = first;
    const second = await someWorkspace(access, 'two');
    const { clientId } = await someCredential(access, accountId, { role: 'admin' });
    const rights = { role: 'read', workspaceIds: [first.workspaceId] } as const;
    await changePlatformCredential(access, { clientId, rights, actor: ACTOR });
    const entries = await access.store.query<{ workspace_id: bigint; detail: string }>(
      `SELECT workspace_id, detail FROM audit_log WHERE action = 'platform_credential.changed'`,
    );
    expect(entries).toEqual([
      {
        workspace_id: first.workspaceId,
        detail: `{"before":{"role":"admin","workspaces":"all"},"after":{"role":"read","workspaces":[${first.workspaceId}]}}`,
      },
    ]);
    expect(second.accountId).not.toBe(accountId);
  });
});

describe('input credentials', () => {
  test('are kept encrypted, bound to their key, and listed without secrets', async () => {
    await using access = await openTestAccess();
    const { workspaceId: id } = await someWorkspace(access);
    const other = await someWorkspace(access);
    const made = await createInputCredential(access, { workspaceId: id, name: 'web', actor: ACTOR });
    const [row] = await access.store.query<{ secret: string }>('SELECT secret FROM input_credentials');
    expect(row?.secret).not.toContain(made.secret.reveal());
    const open = (key: string) => access.keyRing.decrypt(row?.secret ?? '', `input_credentials/${key}`).reveal();
    expect(open(made.key)).toBe(made.secret.reveal());
    expect(() => open('another')).toThrow(AppError);
    expect(await listInputCredentials(access.store, id)).toEqual([
      {
        key: made.key,
        uses: ['server'],
        feedId: null,
        workspaceId: id,
        name: 'web',
        previousUntil: null,
        createdOn: new Date(access.clock.nowMs()),
        revokedOn: null,
      },
    ]);
    expect(await listInputCredentials(access.store, other.workspaceId)).toEqual([]);
  });

  test('keep the old secret for its grace when rotated, and none when revoked', async () => {
    await using access = await openTestAccess();
    const { workspaceId: id } = await someWorkspace(access);
    const { key, secret } = await createInputCredential(access, { workspaceId: id, name: 'web', actor: ACTOR });
    await rotateInputCredential(access, { key, graceMs: 60_000, actor: ACTOR });
    const read = () =>
      access.store.query<{ previous_secret: string | null; previous_until: Date | null }>(
        'SELECT previous_secret, previous_until FROM input_credentials',
      );
    const [rotated] = await read();
    expect(access.keyRing.decrypt(rotated?.previous_secret ?? '', `input_credentials/${key}`).reveal()).toBe(
      secret.reveal(),
    );
    expect(rotated?.previous_until).toEqual(new Date(access.clock.nowMs() + 60_000));
    await revokeInputCredential(access, { key, actor: ACTOR });
    expect(await read()).toEqual([{ previous_secret: null, previous_until: null }]);
    await expect(rotateInputCredential(access, { key, graceMs: 0, actor: ACTOR })).rejects.toThrow('revoked');
  });

  test('are refused for a workspace that is not there', async () => {
    await using access = await openTestAccess();
    const create = createInputCredential(access, { workspaceId: workspaceId(99n), name: 'web', actor: ACTOR });
    await expect(create).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('re-encryption', () => {
  test('moves every secret to the newest key, so that the old one can go', async () => {
    await using access = await openTestAccess();
    const { workspaceId: id } = await someWorkspace(access);
    const { key } = await createInputCredential(access, { workspaceId: id, name: 'web', actor: ACTOR });
    const { secret } = await rotateInputCredential(access, { key, graceMs: 60_000, actor: ACTOR });
    const again = () => reencryptAll(access.store, testKeyRing('newer', 'test'), accessSecrets(access.clock.nowMs()));
    expect(await again()).toEqual({ input_credentials: 1, signing_keys: 1 });
    expect(await again()).toEqual({ input_credentials: 0, signing_keys: 0 });
    const [row] = await access.store.query<{ secret: string; previous_secret: string }>(
      'SELECT secret, previous_secret FROM input_credentials',
    );
    const newest = testKeyRing('newer');
    expect(newest.decrypt(row?.secret ?? '', `input_credentials/${key}`).reveal()).toBe(secret.reveal());
    expect(newest.needsRotation(row?.previous_secret ?? '')).toBe(false);
    const signingKeys = createSigningKeys({ ...access, keyRing: newest });
    await expect(signingKeys.sign({ sub: 'x' })).resolves.toMatch(/^eyJ/);
  });

  test('leaves what nobody reads any more where its key is lost, and moves what stands beside it', async () => {
    await using access = await openTestAccess();
    const { workspaceId: id } = await someWorkspace(access);
    const lost = { ...access, keyRing: testKeyRing('lost') };
    const revoked = await createInputCredential(lost, { workspaceId: id, name: 'old', actor: ACTOR });
    await revokeInputCredential(access, { key: revoked.key, actor: ACTOR });
    const { key } = await createInputCredential(lost, { workspaceId: id, name: 'web', actor: ACTOR });
    const { secret } = await rotateInputCredential(access, { key, graceMs: 60_000, actor: ACTOR });
    const newest = testKeyRing('newer', 'test');
    const renewedIn = (ms: number) => reencryptAll(access.store, newest, accessSecrets(access.clock.nowMs() + ms));
    // the one before the rotation is still let in, so it is missed
    await expect(renewedIn(0)).rejects.toThrow('1 rows of input_credentials cannot be read');
    expect(await renewedIn(60_000)).toMatchObject({ input_credentials: 1 });
    expect(await renewedIn(60_000)).toMatchObject({ input_credentials: 0 });
    const [row] = await access.store.query<{ secret: string }>('SELECT secret FROM input_credentials WHERE key = $1', [
      key,
    ]);
    expect(
      testKeyRing('newer')
        .decrypt(row?.secret ?? '', `input_credentials/${key}`)
        .reveal(),
    ).toBe(secret.reveal());
  });
});
