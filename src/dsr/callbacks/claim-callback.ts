import type { WorkspaceId } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';

/** One claimed attempt, named in the log by its number. */
export interface Claim {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  readonly requestId: string;
  readonly attempt: number;
  readonly url: string;
  /** Body that every attempt sends. */
  readonly body: string;
}

interface Claiming {
  readonly workspaceId: WorkspaceId;
  readonly id: bigint;
  /** Body to store, unless an earlier attempt stored one. */
  readonly body: string;
  readonly nowMs: number;
  /**
   * Due time in the queue, and the time at which the attempt counts as lost. Absent for a replay, which leaves the queue alone.
   */
  readonly due?: { readonly on: Date; readonly lostOn: Date };
}

/**
 * Claims an attempt: stores the body before it is first sent, and logs the attempt so that it survives a crash. Returns
 * undefined where another daemon has claimed it, or its body was dropped.
 */
export async function claimCallback(store: Store, claiming: Claiming): Promise<Claim | undefined> {
  return store.transaction(async (tx) => {
    const claim = claiming.due === undefined ? await takeAny(tx, claiming) : await takeDue(tx, claiming, claiming.due);
    if (claim === undefined) return undefined;
    const { workspaceId, id, nowMs } = claiming;
    await tx.execute(
      'INSERT INTO dsr_callback_attempts (workspace_id, callback_id, attempt, started_on) VALUES ($1, $2, $3, $4)',
      [workspaceId, id, claim.attempt, new Date(nowMs)],
    );
    return { ...claim, workspaceId, id };
  });
}

type Taken = Omit<Claim, 'workspaceId' | 'id'>;

/** Claims a due callback by compare-and-set on its due time: one of several daemons wins. */
async function takeDue(
  tx: Transaction,
  { workspaceId, id, body }: Claiming,
  due: { readonly on: Date; readonly lostOn: Date },
): Promise<Taken | undefined> {
  const [taken] = await tx.query<Taken>(
    `UPDATE dsr_callbacks SET attempts = attempts + 1, body = coalesce(body, $3), next_attempt_on = $5
     WHERE workspace_id = $1 AND id = $2 AND next_attempt_on = $4 AND url IS NOT NULL
     RETURNING attempts AS attempt, request_id AS "requestId", url, body`,
    [workspaceId, id, body, due.on, due.lostOn],
  );
  return taken;
}

async function takeAny(tx: Transaction, { workspaceId, id, body }: Claiming): Promise<Taken | undefined> {
  const [taken] = await tx.query<Taken>(
    `UPDATE dsr_callbacks SET attempts = attempts + 1, body = coalesce(body, $3)
     WHERE workspace_id = $1 AND id = $2 AND url IS NOT NULL
     RETURNING attempts AS attempt, request_id AS "requestId", url, body`,
    [workspaceId, id, body],
  );
  return taken;
}
