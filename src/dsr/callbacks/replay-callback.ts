import { type Actor, recordChange } from '../../access/index.ts';
import { AppError, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { claimCallback } from './claim-callback.ts';
import { type LoggedCallback, listCallbacks } from './list-callbacks.ts';
import { callbackBody, sendCallback } from './send-callback.ts';
import { settleCallback } from './settle-callback.ts';
import { readSnapshot } from './snapshot.ts';

interface Replayed {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly actor: Actor;
}

type Kept = Parameters<typeof callbackBody>[1];

/**
 * Sends one callback now, whatever its state, with the same body. A failure does not change the queue. Returns the callback
 * with its log. Throws NOT_FOUND, and VALIDATION_FAILED where its body was dropped.
 */
export async function replayCallback(
  deps: CallbackDeps,
  { workspaceId, id, actor }: Replayed,
  signal: AbortSignal,
): Promise<LoggedCallback> {
  const { store, clock } = deps;
  const kept = await loadKept(store, workspaceId, id);
  const body = callbackBody(deps, kept);
  const claim = await claimCallback(store, { workspaceId, id, body, nowMs: clock.nowMs() });
  if (claim === undefined) throw dropped(id);
  await store.transaction((tx) =>
    recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(clock.nowMs()),
      action: 'dsr_callback.replayed',
      resource: `dsr_callback/${id}`,
      detail: { subject_request_id: kept.requestId, attempt: claim.attempt },
    }),
  );
  const outcome = await sendCallback(deps, { ...claim, version: readSnapshot(kept.snapshot).version }, signal);
  await settleCallback(store, claim, { ...outcome, nowMs: clock.nowMs() });
  const [logged] = await listCallbacks(store, workspaceId, { id, limit: 1, offset: 0, from: undefined, to: undefined });
  if (logged === undefined) throw unknown(id);
  return logged;
}

async function loadKept(sql: Sql, workspaceId: WorkspaceId, id: bigint): Promise<Kept> {
  const [row] = await sql.query<Omit<Kept, 'url' | 'snapshot'> & { url: string | null; snapshot: string | null }>(
    `SELECT workspace_id AS "workspaceId", request_id AS "requestId", url, snapshot, body
     FROM dsr_callbacks WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  );
  if (row === undefined) throw unknown(id);
  const { url, snapshot } = row;
  if (url === null || snapshot === null) throw dropped(id);
  return { ...row, url, snapshot };
}

function unknown(id: bigint): AppError {
  return new AppError('NOT_FOUND', `There is no callback ${id} in this workspace.`);
}

function dropped(id: bigint): AppError {
  const message = `Callback ${id} cannot be sent again: its body was deleted after the request ended. GET the request for its last status.`;
  return refuse([{ path: '', message }]);
}
