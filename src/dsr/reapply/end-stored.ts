// A request that the restored store holds open, and that was over when the export was made: its sender was told so already.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { endCallbacks } from '../callbacks/end-callbacks.ts';
import { endForwards } from '../forwarding/end-forwards.ts';
import { isOpen, REQUEST_STATUSES } from '../request-machine.ts';
import { COLUMNS, type RequestLine } from './request-line.ts';

interface Ending {
  readonly workspaceId: WorkspaceId;
  readonly request: RequestLine;
  readonly nowMs: number;
}

const OPEN = REQUEST_STATUSES.filter(isOpen);

/**
 * Ends a stored request as its line says, so that no worker carries it out, and tells nobody: what was queued for receivers
 * and partners ends too. Answers whether it was open.
 * An erasure that had taken its profiles when the backup was made is exempt. Only its request knows whose traces the other
 * rooms still hold, so it stays open until a worker is through with them.
 */
export async function endStored(tx: Transaction, { workspaceId, request, nowMs }: Ending): Promise<boolean> {
  const isEnded = await takeLine(tx, workspaceId, request);
  if (!isEnded && !(await silence(tx, workspaceId, request))) return false;
  await endForwards(tx, { workspaceId, ...request });
  await endCallbacks(tx, { workspaceId, requestId: request.id, nowMs });
  return isEnded;
}

async function takeLine(tx: Transaction, workspaceId: WorkspaceId, { id, text }: RequestLine): Promise<boolean> {
  const kept = COLUMNS.filter((column) => column !== 'id').map((column) => `${column} = line.${column}`);
  const ended = await tx.query(
    `UPDATE dsr_requests AS r SET ${kept.join(', ')}, subject = NULL, encoded_request = NULL, callback_urls = NULL,
       next_attempt_on = NULL, last_error = NULL
     FROM json_populate_record(NULL::dsr_requests, $3::json) AS line
     WHERE r.workspace_id = $1 AND r.id = $2 AND r.status = ANY($4) AND r.erased_keys IS NULL RETURNING r.id`,
    [workspaceId, id, text, OPEN],
  );
  return ended.length === 1;
}

/** Its end is told to nobody again. */
async function silence(tx: Transaction, workspaceId: WorkspaceId, { id }: RequestLine): Promise<boolean> {
  const silenced = await tx.query(
    'UPDATE dsr_requests SET callback_urls = NULL WHERE workspace_id = $1 AND id = $2 AND status = ANY($3) RETURNING id',
    [workspaceId, id, OPEN],
  );
  return silenced.length === 1;
}
