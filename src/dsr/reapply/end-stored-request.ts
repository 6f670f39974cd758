// A request that is open in the restored store and was over when the export was made. Its sender has been told of the end.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { endCallbacks } from '../callbacks/drop-callbacks.ts';
import { endForwards } from '../forwarding/end-forwards.ts';
import { isOpen, REQUEST_STATUSES } from '../request-machine.ts';
import { EXPORTED_COLUMNS, type RequestLine } from './request-line.ts';

interface Ending {
  readonly workspaceId: WorkspaceId;
  readonly request: RequestLine;
  readonly nowMs: number;
}

const OPEN = REQUEST_STATUSES.filter(isOpen);

/**
 * Ends a stored request as its line says, so that no worker carries it out. Tells nobody: queued callbacks and forwards end
 * too. Returns whether the request was open.
 *
 * An erasure that had erased its profiles before the backup stays open. Only the request knows whose traces the other rooms
 * still hold, so a worker has to finish it.
 */
export async function endStoredRequest(tx: Transaction, { workspaceId, request, nowMs }: Ending): Promise<boolean> {
  const isEnded = await takeLine(tx, workspaceId, request);
  if (!isEnded && !(await silence(tx, workspaceId, request))) return false;
  await endForwards(tx, { workspaceId, ...request });
  await endCallbacks(tx, { workspaceId, requestId: request.id, nowMs });
  return isEnded;
}

async function takeLine(tx: Transaction, workspaceId: WorkspaceId, { id, text }: RequestLine): Promise<boolean> {
  const kept = EXPORTED_COLUMNS.filter((column) => column !== 'id').map((column) => `${column} = line.${column}`);
  const ended = await tx.query(
    `UPDATE dsr_requests AS r SET ${kept.join(', ')}, subject = NULL, encoded_request = NULL, callback_urls = NULL,
       next_attempt_on = NULL, last_error = NULL
     FROM json_populate_record(NULL::dsr_requests, $3::json) AS line
     WHERE r.workspace_id = $1 AND r.id = $2 AND r.status = ANY($4) AND r.erased_keys IS NULL RETURNING r.id`,
    [workspaceId, id, text, OPEN],
  );
  return ended.length === 1;
}

/** Removes the callback URLs, so that receivers are not told of the end again. */
async function silence(tx: Transaction, workspaceId: WorkspaceId, { id }: RequestLine): Promise<boolean> {
  const silenced = await tx.query(
    'UPDATE dsr_requests SET callback_urls = NULL WHERE workspace_id = $1 AND id = $2 AND status = ANY($3) RETURNING id',
    [workspaceId, id, OPEN],
  );
  return silenced.length === 1;
}
