import {
  changeInputUses,
  changePlatformCredential,
  listInputCredentials,
  listPlatformCredentials,
  listWorkspaces,
  ROTATION_GRACE_MS,
  revokeInputCredential,
  revokePlatformCredential,
  rotateInputCredential,
  rotatePlatformCredential,
} from '../../access/index.ts';
import { workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator } from '../operator.ts';
import { type RightsOptions, workspaceIdsOf } from './rights.ts';

const COLUMNS = ['kind', 'id', 'name', 'role', 'uses', 'workspaces', 'created_on', 'state'];

export async function listCredentials(context: CommandContext): Promise<void> {
  const rows = await asOperator(context, async ({ store }) => [
    ...(await platformRows(store)),
    ...(await inputRows(store)),
  ]);
  context.output().rows(COLUMNS, rows);
}

async function platformRows(sql: Sql) {
  const entries = await listPlatformCredentials(sql);
  return entries.map((entry) => ({
    kind: 'platform',
    id: entry.clientId,
    name: entry.name,
    role: entry.role,
    uses: null,
    workspaces: entry.workspaceIds === null ? 'all' : entry.workspaceIds.join(',') || 'none',
    created_on: entry.createdOn.toISOString(),
    state: stateOf(entry),
  }));
}

async function inputRows(sql: Sql) {
  const workspaces = await listWorkspaces(sql);
  const entries = await Promise.all(workspaces.map(({ id }) => listInputCredentials(sql, workspaceId(id))));
  return entries.flat().map((entry) => ({
    kind: entry.feedId === null ? 'input' : 'feed',
    id: entry.key,
    name: entry.name,
    role: null,
    uses: entry.uses.join(','),
    workspaces: String(entry.workspaceId),
    created_on: entry.createdOn.toISOString(),
    state: stateOf(entry),
  }));
}

const stateOf = ({ revokedOn }: { readonly revokedOn: Date | null }): string =>
  revokedOn === null ? 'active' : 'revoked';

/** Rotates the secret of a credential. `id` is a client id or an input key; the store tells which one. */
export async function rotateCredential(
  context: CommandContext,
  id: string,
  graceMs = ROTATION_GRACE_MS,
): Promise<void> {
  const shown = await asOperator(context, async (operator) => {
    const { actor } = operator;
    if (await isPlatform(operator.store, id)) {
      const made = await rotatePlatformCredential(operator, { clientId: id, graceMs, actor });
      return { client_id: made.clientId, client_secret: made.clientSecret.reveal() };
    }
    const made = await rotateInputCredential(operator, { key: id, graceMs, actor });
    return { key: made.key, secret: made.secret.reveal() };
  });
  context.output().object(shown);
}

export async function revokeCredential(context: CommandContext, id: string): Promise<void> {
  await asOperator(context, async (operator) => {
    const { actor } = operator;
    if (await isPlatform(operator.store, id)) await revokePlatformCredential(operator, { clientId: id, actor });
    else await revokeInputCredential(operator, { key: id, actor });
  });
  context.output().object({ revoked: id });
}

export async function changeRights(context: CommandContext, clientId: string, options: RightsOptions): Promise<void> {
  const rights = { role: options.role, workspaceIds: workspaceIdsOf(options.workspaces) };
  await asOperator(context, (operator) =>
    changePlatformCredential(operator, { clientId, rights, actor: operator.actor }),
  );
  context.output().object({
    client_id: clientId,
    role: rights.role,
    workspaces: rights.workspaceIds === undefined ? 'all' : rights.workspaceIds.join(',') || 'none',
  });
}

export async function changeUses(context: CommandContext, key: string, wanted: readonly string[]): Promise<void> {
  const uses = await asOperator(context, (operator) =>
    changeInputUses(operator, { key, uses: wanted, actor: operator.actor }),
  );
  context.output().object({ key, uses: uses.join(',') });
}

async function isPlatform(sql: Sql, id: string): Promise<boolean> {
  return (await listPlatformCredentials(sql)).some(({ clientId }) => clientId === id);
}
