// Batches that a sender named with a `source_request_id`, for as long as a second one counts as the same.
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
 * Key, environment and id as one UUID; undefined: the batch was given none. Requests of before the environments were told
 * apart stand under both: a migration hashed theirs on as it is done here.
 */
// An empty id names nothing, like null.
export function requestHash({ key, environment, id }: NamedRequest): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  const ofProduction = uuidOf(`${key}\0${isRawNumber(id) ? id.rawJSON : id}`);
  return environment === 'production' ? ofProduction : uuidOf(`${ofProduction}/${environment}`);
}

const uuidOf = (text: string): string => hash('sha256', text, 'hex').slice(0, 32);

interface Requests {
  readonly workspaceId: WorkspaceId;
  /** Each once. */
  readonly hashes: readonly string[];
  readonly receivedMs: number;
}

/**
 * Remembers the requests; answers those that nobody had named within 30 days. Another transaction that names one of them is
 * waited for; `hashes` are sorted, so that no two wait for each other.
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

/** Forgets requests of the same transaction whose batches were refused: the next batch of that name is no duplicate. */
export async function releaseRequests(
  sql: Sql,
  { workspaceId, hashes }: Pick<Requests, 'workspaceId' | 'hashes'>,
): Promise<void> {
  await sql.execute('DELETE FROM batch_requests WHERE workspace_id = $1 AND hash = ANY($2::uuid[])', [
    workspaceId,
    hashes,
  ]);
}

/** Rows a statement deletes at most. */
const AT_ONCE = 5_000;

// the time once more outside: one that was claimed again meanwhile is looked at anew, and no longer old
const EXPIRE = `
  DELETE FROM batch_requests WHERE workspace_id = $1 AND received_on < $2 AND hash IN
    (SELECT hash FROM batch_requests WHERE workspace_id = $1 AND received_on < $2 ORDER BY received_on LIMIT $3)`;

interface Expiry {
  readonly workspaceId: WorkspaceId;
  readonly nowMs: number;
}

/** Deletes what is remembered for longer than 30 days, a bounded statement at a time; answers how many. */
export async function expireRequests(sql: Sql, { workspaceId, nowMs }: Expiry, signal: AbortSignal): Promise<number> {
  const values = [workspaceId, new Date(nowMs - REMEMBERED_MS), AT_ONCE];
  return deleteInParts(sql, { statement: EXPIRE, values, mostRows: AT_ONCE, signal });
}
