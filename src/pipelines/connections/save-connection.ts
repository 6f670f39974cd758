// POST and PUT of a connection. The warehouse is asked before the transaction, so that no lock waits for a network. Its
// answer makes the connection healthy or faulted and never refuses the save (D-076).
import { and, eq } from 'drizzle-orm';
import type { Static } from 'typebox';
import { type Provider, providerOf } from '../../../connectors/facts.ts';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, refuse } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { ConnectionConfig } from '../../warehouse/index.ts';
import { changedFields } from '../changed-fields.ts';
import type { ConnectionBody } from '../contract/connection.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { type BasedOn, requireUnchanged } from '../require-unchanged.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { connections } from '../tables.ts';
import { connectionAnswer } from '../wire/connection-answer.ts';
import type { RevealedConnection } from './ask-warehouse.ts';
import type { Connection } from './connection.ts';
import { checkConfig, checkMasksStay, isMasked, revealSecret, sealConfig, unmaskConfig } from './connection-config.ts';
import { connectionFromRow, findConnection, loadConnection } from './load-connection.ts';
import { type Probed, probeConnection } from './probe-connection.ts';
import { secretFieldsOf, unknownProvider } from './provider.ts';

type Body = Static<typeof ConnectionBody>;

export interface ConnectionSaving {
  readonly body: Body;
  /** Refuses to save while the warehouse does not answer. */
  readonly mustAnswer?: boolean;
}

/** A body that was checked, with the warehouse's answer. */
interface Draft {
  readonly body: Body;
  readonly provider: Provider;
  /** Configuration with revealed secrets. */
  readonly config: ConnectionConfig;
  readonly fault: Probed['fault'];
}

/** Creates a connection. Throws VALIDATION_FAILED and DUPLICATE_ID, and WAREHOUSE_UNREACHABLE with `mustAnswer`. */
export async function createConnection(
  deps: PipelinesDeps,
  caller: Caller,
  { body, mustAnswer }: ConnectionSaving,
): Promise<Connection> {
  const { workspaceId, actor } = caller;
  const draft = { body, ...readBody(deps, body, undefined) };
  await requireAllowedAddress(deps, { workspaceId, ...draft });
  if (await findConnection(deps.store, { workspaceId, id: body.id })) throw duplicate(body.id);
  const { fault } = await probeConnection(deps, { workspaceId, ...draft, mustAnswer });
  const createdOn = new Date(deps.clock.nowMs());
  return deps.store.transaction(async (tx) => {
    const columns = columnsOf(deps, workspaceId, { ...draft, fault });
    const inserted = await tx.orm
      .insert(connections)
      .values({ ...columns, workspaceId, id: body.id, createdOn, createdBy: actor })
      .onConflictDoNothing()
      .returning();
    if (inserted[0] === undefined) throw duplicate(body.id);
    const created = connectionFromRow(inserted[0]);
    await recordChange(tx, {
      workspaceId,
      occurredOn: createdOn,
      actor,
      action: 'connection.created',
      resource: `connection/${body.id}`,
      detail: changedFields(undefined, connectionAnswer(deps.fleet, created)),
    });
    return created;
  });
}

/**
 * Replaces a connection, whose fault is cleared or found anew, and schedules its pipelines again. Throws NOT_FOUND, and
 * STORE_CONFLICT where a masked secret belongs to another warehouse by now.
 */
export async function replaceConnection(
  deps: PipelinesDeps,
  caller: Caller,
  { id, body, mustAnswer, basedOn }: ConnectionSaving & { readonly id: string; readonly basedOn?: BasedOn<Connection> },
): Promise<Connection> {
  const { workspaceId } = caller;
  const before = await loadConnection(deps.store, { workspaceId, id });
  if (body.id !== id) throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
  const draft = { body, ...readBody(deps, body, before) };
  await requireAllowedAddress(deps, { workspaceId, ...draft });
  const { fault } = await probeConnection(deps, { workspaceId, ...draft, mustAnswer });
  return deps.store.transaction((tx) => overwrite(tx, { deps, caller, draft: { ...draft, fault }, basedOn }));
}

interface Overwriting {
  readonly deps: PipelinesDeps;
  readonly caller: Caller;
  readonly draft: Draft;
  readonly basedOn: BasedOn<Connection> | undefined;
}

async function overwrite(tx: Transaction, { deps, caller, draft, basedOn }: Overwriting): Promise<Connection> {
  const { workspaceId, actor } = caller;
  const { id } = draft.body;
  const nowMs = deps.clock.nowMs();
  const before = await loadConnection(tx, { workspaceId, id }, 'update');
  requireUnchanged(before, basedOn);
  requireSecretsStay(deps, draft, before);
  const updated = await tx.orm
    .update(connections)
    .set({
      ...columnsOf(deps, workspaceId, { ...draft, stored: before }),
      lastModifiedOn: new Date(nowMs),
      lastModifiedBy: actor,
    })
    .where(and(eq(connections.workspaceId, workspaceId), eq(connections.id, id)))
    .returning();
  if (updated[0] === undefined) throw new AppError('NOT_FOUND', `The connection "${id}" was deleted in the meantime.`);
  const after = connectionFromRow(updated[0]);
  const afterFault = before.fault !== null && after.fault === null;
  await reschedulePipelines(tx, { workspaceId, connectionId: id }, { nowMs, afterFault });
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'connection.updated',
    resource: `connection/${id}`,
    detail: changedFields(connectionAnswer(deps.fleet, before), connectionAnswer(deps.fleet, after)),
  });
  return after;
}

/**
 * Throws STORE_CONFLICT where the locked row no longer permits the masks of the body.
 * Masks were judged by the row as read, while the secret is taken from the locked row. A secret that another PUT stored
 * meanwhile for another server or product must never go to this one.
 */
function requireSecretsStay(deps: PipelinesDeps, { body, provider }: Draft, locked: Connection): void {
  const sealing = { config: withDefaults(deps, provider, body), secretFields: secretFieldsOf(deps.fleet, provider) };
  const masked = sealing.secretFields.filter((field) => isMasked(sealing, field));
  if (masked.length === 0) return;
  const isThere = locked.provider === provider && masked.every((field) => locked.config[field] !== undefined);
  if (isThere && checkMasksStay(sealing, locked).length === 0) return;
  throw new AppError(
    'STORE_CONFLICT',
    `The connection "${locked.id}" got another address or secret at the same time; send the request again.`,
  );
}

const withDefaults = ({ fleet }: PipelinesDeps, provider: Provider, { config }: Body): ConnectionConfig => ({
  ...fleet[provider]?.configDefaults,
  ...config,
});

/** Returns provider and configuration with revealed secrets. Throws VALIDATION_FAILED with every complaint. */
function readBody(deps: PipelinesDeps, body: Body, before: Connection | undefined) {
  const provider = providerOf(body.service_provider);
  if (provider === undefined) {
    throw refuse([{ path: 'service_provider', message: unknownProvider(body.service_provider) }]);
  }
  const secretFields = secretFieldsOf(deps.fleet, provider);
  const given = withDefaults(deps, provider, body);
  const stored = before?.provider === provider ? before : undefined;
  const { config, issues } = unmaskConfig({ config: given, secretFields }, (field) =>
    stored === undefined ? undefined : revealSecret(deps.keyRing, stored, field),
  );
  const moved = stored === undefined ? [] : checkMasksStay({ config: given, secretFields }, stored);
  const all = [...issues, ...moved, ...checkConfig(deps.fleet, provider, config)];
  if (all.length > 0) throw refuse(all);
  return { provider, config };
}

/**
 * Checks the address of a connection against the operator's list. The store is never a warehouse (D-077). Throws
 * VALIDATION_FAILED.
 */
async function requireAllowedAddress(
  { fleet, connectorEnvironment }: PipelinesDeps,
  { workspaceId, provider, config }: RevealedConnection,
): Promise<void> {
  const issues = (await fleet[provider]?.checkAddress?.(config, connectorEnvironment(workspaceId))) ?? [];
  if (issues.length > 0) throw refuse(issues);
}

/**
 * Returns the columns of the row. A masked field keeps the value of the locked row, which another PUT may have changed since
 * the body was checked.
 */
function columnsOf(
  deps: PipelinesDeps,
  workspaceId: Caller['workspaceId'],
  { body, provider, config, fault, stored }: Draft & { readonly stored?: Connection },
) {
  const secretFields = secretFieldsOf(deps.fleet, provider);
  const sealed = sealConfig(deps.keyRing, { workspaceId, id: body.id }, { config, secretFields });
  const kept = secretFields.filter((field) => isMasked({ config: body.config, secretFields }, field));
  const merged = { ...sealed, ...Object.fromEntries(kept.map((field) => [field, stored?.config[field]])) };
  return {
    name: body.name,
    state: body.state,
    provider,
    config: merged,
    fault,
  };
}

function duplicate(id: string): AppError {
  return new AppError(
    'DUPLICATE_ID',
    `id: this workspace already has a connection "${id}"; PUT it, or choose another id.`,
  );
}
