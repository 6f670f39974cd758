// Request ids of batches (`source_request_id`), remembered for 30 days so that a batch sent twice is a duplicate.
import { hash } from 'node:crypto';
import type { Environment } from '../../identity/index.ts';
import { isRawNumber, type WorkspaceId } from '../../kernel/index.ts';
import { deleteInParts, type Sql } from '../../store/index.ts';
import type { WireString } from '../contract/leaves.ts';

const REMEMBERED_MS = 30 * 86_400_000;

interface NamedRequest {
  readonly key: string;
  readonly environment: Environment;
  readonly id: WireString | undefined;
}

/**
 * Hashes key, environment and id to a UUID; undefined for a batch without an id. An empty id counts as none, like null.
 * The hash of another environment than production is made from that of production.
 */
export function requestHash({ key, environment, id }: NamedRequest): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  const ofProduction = uuidOf(`${key}\0${isRawNumber(id) ? id.rawJSON : id}`);
  return environment === 'production' ? ofProduction : uuidOf(`${ofProduction}/${environment}`);
}

const uuidOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32);

interface Requests {
  readonly workspaceId: WorkspaceId;
  /** Hashes without repetitions, sorted. */
  readonly hashes: readonly string[];
  readonly receivedMs: number;
}

/**
 * Claims request ids and returns those that are new within 30 days. Waits for other transactions that claim the same ids;
 * the hashes are sorted, so that no two transactions wait for each other.
 */
export async function claimRequests(sql: Sql, { workspaceId, hashes, receivedMs }: Requests): Promise<Set<string>> {
  const rows = await sql.query<{ hash: string }>(CLAIM, [
    workspaceId,
    hashes,
    new Date(receivedMs),
    new Date(receivedMs - REMEMBERED_MS),
  ]);
  return new Set(rows.map((row) => row.hash));
}

const CLAIM = `
  INSERT INTO batch_requests AS known (workspace_id, hash, received_on)
  SELECT $1, hash, $3 FROM unnest($2::uuid[]) AS hash
  ON CONFLICT (workspace_id, hash) DO UPDATE SET received_on = excluded.received_on WHERE known.received_on < $4
  RETURNING replace(hash::text, '-', '') AS hash`;

/** Deletes claims of the same transaction whose batches were refused, so that the next batch of that id is no duplicate. */
export async function releaseRequests(
  sql: Sql,
  { workspaceId, hashes }: Pick<Requests, 'workspaceId' | 'hashes'>,
): Promise<void> {
  await sql.execute('DELETE FROM batch_requests WHERE workspace_id = $1 AND hash = ANY($2::uuid[])', [
    workspaceId,
    hashes,
  ]);
}

/** Most rows that one statement deletes. */
const AT_ONCE = 5_000;

// the time is checked outside as well: a row that was claimed again meanwhile is read again and is no longer old
const EXPIRE = `
  DELETE FROM batch_requests WHERE workspace_id = $1 AND received_on < $2 AND hash IN
    (SELECT hash FROM batch_requests WHERE workspace_id = $1 AND received_on < $2 ORDER BY received_on LIMIT $3)`;

interface Expiry {
  readonly workspaceId: WorkspaceId;
  readonly nowMs: number;
}

/** Deletes request ids older than 30 days in bounded statements and returns how many. */
export async function expireRequests(sql: Sql, { workspaceId, nowMs }: Expiry, signal: AbortSignal): Promise<number> {
  const values = [workspaceId, new Date(nowMs - REMEMBERED_MS), AT_ONCE];
  return deleteInParts(sql, { statement: EXPIRE, values, mostRows: AT_ONCE, signal });
}
