import { describe, expect, test } from 'vitest';
import {
  createAccount,
  createOrganisation,
  createWorkspace,
  initialise,
  listAccounts,
  listOrganisations,
  listPlatformCredentials,
  listWorkspaces,
  provisionAccount,
} from '../../../src/access/index.ts';
import { ACTOR, openTestAccess, someWorkspace, type TestAccess } from '../../support/apis/test-access.ts';

const NAMES = { organisation: 'Acme', account: 'Shop', workspace: 'Main', actor: ACTOR };

const auditOf = (access: TestAccess) =>
  access.store.query<{ action: string; actor: string; resource: string; workspace_id: bigint }>(
    'SELECT workspace_id, action, actor, resource FROM audit_log ORDER BY workspace_id, id',
  );

describe('initialise', () => {
  test('makes organisation, account, workspace, admin credential and signing key', async () => {
    await using access = await openTestAccess({ withoutSigningKey: true });
    const made = await initialise(access, NAMES);
    expect(made.credential?.clientSecret.reveal()).toMatch(/^[0-9a-f]{64}$/);
    expect(await listWorkspaces(access.store)).toEqual([
      {
        id: made.workspaceId,
        name: 'Main',
        accountId: made.accountId,
        account: 'Shop',
        organisationId: made.organisationId,
        organisation: 'Acme',
        warehouseSyncProvisioned: true,
        createdOn: new Date(access.clock.nowMs()),
      },
    ]);
    expect(await listPlatformCredentials(access.store)).toMatchObject([
      { clientId: made.credential?.clientId, name: 'admin', role: 'admin', workspaceIds: null, revokedOn: null },
    ]);
    expect(await access.store.query('SELECT generation FROM signing_keys')).toEqual([{ generation: 1 }]);
  });

  test('repeated makes nothing and shows no secret', async () => {
    await using access = await openTestAccess();
    const first = await initialise(access, NAMES);
    const again = await initialise(access, NAMES);
    expect(again).toEqual({ ...first, credential: undefined });
    expect(await auditOf(access)).toHaveLength(2);
  });

  test('done twice at the same time makes one of each and shows one secret', async () => {
    await using access = await openTestAccess({ withoutSigningKey: true });
    const both = await Promise.all([1, 2, 3, 4].map(() => initialise(access, NAMES)));
    expect(new Set(both.map(({ workspaceId }) => workspaceId)).size).toBe(1);
    expect(both.filter(({ credential }) => credential !== undefined)).toHaveLength(1);
    expect(await listWorkspaces(access.store)).toHaveLength(1);
    expect(await access.store.query('SELECT generation FROM signing_keys')).toEqual([{ generation: 1 }]);
  });

  test('adds a second workspace to the account that is there', async () => {
    await using access = await openTestAccess();
    const first = await initialise(access, NAMES);
    const second = await initialise(access, { ...NAMES, workspace: 'Test' });
    expect(second).toMatchObject({ accountId: first.accountId, credential: undefined });
    expect(second.workspaceId).not.toBe(first.workspaceId);
  });
});

describe('creating', () => {
  test('goes from the organisation down and names who did it', async () => {
    await using access = await openTestAccess();
    const organisationId = await createOrganisation(access, { name: ' Acme ' });
    const accountId = await createAccount(access, { organisationId, name: 'Shop' });
    const workspaceId = await createWorkspace(access, { accountId, name: 'Main', actor: ACTOR });
    expect(await listOrganisations(access.store)).toMatchObject([{ id: organisationId, name: 'Acme' }]);
    expect(await listAccounts(access.store)).toMatchObject([{ id: accountId, organisationId, name: 'Shop' }]);
    expect(await auditOf(access)).toEqual([
      {
        workspace_id: workspaceId,
        action: 'workspace.created',
        actor: ACTOR,
        resource: `workspace/${workspaceId}`,
      },
    ]);
  });

  test('refuses a name that is taken and a parent that is not there', async () => {
    await using access = await openTestAccess();
    const { organisationId, accountId } = await initialise(access, NAMES);
    const taken = { code: 'DUPLICATE_ID' };
    await expect(createOrganisation(access, { name: 'Acme' })).rejects.toMatchObject(taken);
    await expect(createAccount(access, { organisationId, name: 'Shop' })).rejects.toMatchObject(taken);
    await expect(createWorkspace(access, { accountId, name: 'Main', actor: ACTOR })).rejects.toMatchObject(taken);
    const missing = { code: 'NOT_FOUND' };
    await expect(createAccount(access, { organisationId: 99n, name: 'x' })).rejects.toMatchObject(missing);
    await expect(createWorkspace(access, { accountId: 99n, name: 'x', actor: ACTOR })).rejects.toMatchObject(missing);
  });
});

describe('warehouse sync of an account', () => {
  test('is switched in the log of its workspaces and no other', async () => {
    await using access = await openTestAccess();
    const mine = await someWorkspace(access);
    const second = await createWorkspace(access, { accountId: mine.accountId, name: 'Second', actor: ACTOR });
    const theirs = await someWorkspace(access);
    await provisionAccount(access, { accountId: mine.accountId, warehouseSync: false, actor: ACTOR });
    const entries = (await auditOf(access)).filter(({ action }) => action === 'account.warehouse_sync_withdrawn');
    expect(entries.map((entry) => entry.workspace_id)).toEqual([mine.workspaceId, second]);
    const flags = await listAccounts(access.store);
    expect(flags.map(({ id, warehouseSyncProvisioned }) => [id, warehouseSyncProvisioned])).toEqual([
      [mine.accountId, false],
      [theirs.accountId, true],
    ]);
    await expect(provisionAccount(access, { accountId: 99n, warehouseSync: true, actor: ACTOR })).rejects.toThrow(
      'no account 99',
    );
  });
});
