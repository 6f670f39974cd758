import { workspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { readForwarding } from '../forwarding/read-forwarding.ts';
import type { Request } from '../request.ts';
import { isOpen } from '../request-machine.ts';
import { dropDelivered } from './drop-callbacks.ts';
import { takeSnapshot } from './snapshot.ts';

/**
 * Queues one callback for each URL of the request, in the transaction that changes its status. `request` must hold the new
 * status and its callback URLs.
 */
export async function queueCallbacks(tx: Transaction, request: Request, nowMs: number): Promise<void> {
  const urls = [...new Set(request.callbackUrls ?? [])];
  const scope = { workspaceId: workspaceId(request.workspaceId), ids: [request.id] };
  const forwarding = urls.length === 0 ? undefined : (await readForwarding(tx, scope)).get(request.id);
  const snapshot = takeSnapshot(request, forwarding ?? null);
  for (const url of urls) await insertCallback(tx, request, { url, snapshot, queuedOn: new Date(nowMs) });
  if (!isOpen(request.status))
    await dropDelivered(tx, { workspaceId: workspaceId(request.workspaceId), requestId: request.id });
}

interface Queued {
  readonly url: string;
  readonly snapshot: string;
  readonly queuedOn: Date;
}

async function insertCallback(tx: Transaction, request: Request, { url, snapshot, queuedOn }: Queued): Promise<void> {
  await tx.execute(
    `INSERT INTO dsr_callbacks (workspace_id, request_id, request_status, receiver, url, snapshot, queued_on, next_attempt_on)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [request.workspaceId, request.id, request.status, new URL(url).origin, url, snapshot, queuedOn],
  );
}
