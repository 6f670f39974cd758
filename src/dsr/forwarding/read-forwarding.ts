import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';

/** Status of a request at one partner (docs/spec/data-subject-requests.md#forwarding-entry). */
export interface ForwardingEntry {
  readonly domain: string;
  readonly name: string;
  readonly status: 'pending' | 'skipped' | 'sent' | 'failed';
  /** Message of a skipped or failed forward; else empty. */
  readonly status_message: string;
}

interface ForwardRow {
  readonly requestId: string;
  readonly domain: string;
  readonly name: string;
  readonly status: ForwardingEntry['status'];
  readonly message: string | null;
  readonly detail: string | null;
}

/** Returns the status at each partner by request id. Requests that were not forwarded are missing. */
export async function readForwarding(
  sql: Sql,
  { workspaceId, ids }: { readonly workspaceId: WorkspaceId; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, readonly ForwardingEntry[]>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.query<ForwardRow>(
    `SELECT request_id AS "requestId", domain, name, status, message, detail FROM dsr_forwards
     WHERE workspace_id = $1 AND request_id = ANY($2::uuid[]) ORDER BY request_id, partner_id`,
    [workspaceId, ids],
  );
  const byRequest = Map.groupBy(rows, ({ requestId }) => requestId);
  return new Map([...byRequest].map(([id, forwards]) => [id, forwards.map(entryOf)]));
}

function entryOf({ domain, name, status, message, detail }: ForwardRow): ForwardingEntry {
  const text = [message, detail].filter((part) => part !== null).join(': ');
  return { domain, name, status, status_message: text };
}
