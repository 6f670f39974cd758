// The log of batches is written and erased here and read in read-log.ts. Only these files know the rows of
// `event_batches`; nothing outside may assume one row per batch.
import { ENVIRONMENT_NUMBER, type ProfileScope } from '../../identity/index.ts';
import { AppError, INT64_MOST, itemAt, type WorkspaceId } from '../../kernel/index.ts';
import { type CopyTarget, copyInstant, type Sql, type Transaction } from '../../store/index.ts';
import type { BatchSource } from '../accept/delivery.ts';
import { environmentNumbers, type LogPosition, type LogScope, NOBODY, THE_END } from './read-log.ts';
import { announcedTime } from './settle-log.ts';

const BATCHES: CopyTarget = {
  table: 'event_batches',
  columns: [
    { name: 'workspace_id', type: 'int8' },
    { name: 'mpid', type: 'int8' },
    // a timestamptz travels as microseconds since 2000
    { name: 'received_on', type: 'int8' },
    { name: 'id', type: 'int8' },
    { name: 'environment', type: 'int2' },
    { name: 'text', type: 'text' },
    { name: 'pipeline_number', type: 'int8' },
    { name: 'input_key', type: 'text' },
  ],
};

/** Batches that were received at one time. */
interface ReceivedBatches {
  readonly texts: readonly string[];
  /** Sender's own `batch_id`, by index of the batch. */
  readonly ids: ReadonlyMap<number, bigint>;
  /** Sources, by index of the batch. */
  readonly sources: readonly (BatchSource | undefined)[];
  /** MPIDs, by index of the batch; undefined: the batch is not kept. */
  readonly mpids: readonly (bigint | undefined)[];
  readonly receivedMs: number;
  readonly nextId: () => bigint;
}

/**
 * Copies batches to the log in order of MPID, the order of its index: 5 µs of PostgreSQL per batch of 500 bytes, 1.5 of
 * them for the index. Batches in any other order cost 0.4 to 1.4 µs more.
 */
export async function appendBatches(
  tx: Transaction,
  { workspaceId, environment }: ProfileScope,
  { texts, ids, sources, mpids, receivedMs, nextId }: ReceivedBatches,
): Promise<void> {
  const rows = rowsInOrder({ texts, mpids, nextId });
  if (rows.length === 0) return;
  const receivedOn = copyInstant(await timeOfReceipt(tx, workspaceId, receivedMs));
  const environmentNumber = ENVIRONMENT_NUMBER[environment];
  try {
    await tx.copyIn(BATCHES, rows.length, (place) => {
      const { index, mpid, id, text } = itemAt(rows, place);
      const source = sources[index];
      const kept = textInLog(text, mpid, ids.get(index) ?? id);
      return [workspaceId, mpid, receivedOn, id, environmentNumber, kept, pipelineOf(source), keyOf(source)];
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORE_UNIQUE') throw error;
    // two daemons may draw the same ids; the next attempt draws others
    throw new AppError('STORE_CONFLICT', 'Another daemon stored a batch with the same id; deliver it again.');
  }
}

/** Returns the time of receipt, moved behind the time that exports may have read already (`settle-log.ts`). */
async function timeOfReceipt(tx: Transaction, workspaceId: WorkspaceId, receivedMs: number): Promise<number> {
  const announced = await announcedTime(tx, workspaceId);
  return announced === undefined ? receivedMs : Math.max(receivedMs, announced.getTime() + 1);
}

const pipelineOf = (source: BatchSource | undefined) => (source?.kind === 'pipeline' ? source.number : null);
const keyOf = (source: BatchSource | undefined) => (source?.kind === 'input' ? source.key : (source?.feedKey ?? null));

interface KeptBatch {
  /** Index of the batch among all that were received. */
  readonly index: number;
  readonly mpid: bigint;
  readonly id: bigint;
  readonly text: string;
}

/** Returns the kept batches in order of MPID; batches of one person stay in their order. */
function rowsInOrder({
  texts,
  mpids,
  nextId,
}: Pick<ReceivedBatches, 'texts' | 'mpids' | 'nextId'>): readonly KeptBatch[] {
  const rows: KeptBatch[] = [];
  for (const [index, text] of texts.entries()) {
    const mpid = mpids[index];
    if (mpid !== undefined) rows.push({ index, mpid, id: nextId(), text });
  }
  return rows.sort((one, other) => (one.mpid < other.mpid ? -1 : one.mpid > other.mpid ? 1 : 0));
}

/** Returns a batch as the log keeps it: `mpid` and `batch_id` in front of its own text, which is never parsed again. */
function textInLog(text: string, mpid: bigint, batchId: bigint): string {
  const own = mpid === NOBODY ? '' : `"mpid":${mpid},`;
  const front = `{${own}"batch_id":${batchId}`;
  return text === '{}' ? `${front}}` : `${front},${text.slice(1)}`;
}

/** Most batches that one statement erases: the text of a batch may have 128 KB. */
const ERASED_AT_ONCE = 2_000;

/** Result of one part of an erasure. `next` is where the following part begins; absent: this part was the last. */
export interface ErasedBatches {
  readonly erased: number;
  readonly next?: LogPosition;
}

/**
 * Deletes the oldest of a person's batches, from every month. A part is bounded, so that nothing waits long and a part is
 * one transaction with its count. `after` skips the dead index entries of the parts before.
 */
export async function eraseBatches(sql: Sql, scope: LogScope, after?: LogPosition): Promise<ErasedBatches> {
  const range = [...personOf(scope), after?.receivedOn ?? '-infinity', after?.id ?? 0n];
  const [last] = await sql.query<LogPosition>(
    `SELECT received_on AS "receivedOn", id FROM event_batches WHERE workspace_id = $1 AND ${OF_PERSON_AFTER}
     ORDER BY received_on, id OFFSET ${ERASED_AT_ONCE - 1} LIMIT 1`,
    range,
  );
  const { receivedOn, id } = last ?? THE_END;
  const erased = await sql.execute(
    `DELETE FROM event_batches WHERE workspace_id = $1 AND ${OF_PERSON_AFTER} AND received_on <= $6 AND (received_on, id) <= ($6, $7)`,
    [...range, receivedOn, id],
  );
  return last === undefined ? { erased } : { erased, next: last };
}

/** Deletes some of a person's batches and returns how many existed. */
export async function deleteBatches(sql: Sql, scope: LogScope, batches: readonly LogPosition[]): Promise<number> {
  return await sql.execute(
    `DELETE FROM event_batches WHERE workspace_id = $1 AND mpid = $2 AND environment = ANY($3)
       AND received_on = ANY($4::timestamptz[])
       AND (received_on, id) IN (SELECT received_on, id FROM unnest($4::timestamptz[], $5::bigint[]) AS named (received_on, id))`,
    [...personOf(scope), batches.map(({ receivedOn }) => receivedOn.toISOString()), batches.map(({ id }) => id)],
  );
}

/** Counts the batches of a person. */
export async function countBatches(sql: Sql, scope: LogScope): Promise<number> {
  const rows = await sql.query<{ readonly count: bigint }>(
    `SELECT count(*) AS count FROM event_batches WHERE workspace_id = $1 AND mpid = $2 AND environment = ANY($3)`,
    personOf(scope),
  );
  return Number(rows[0]?.count ?? 0n);
}

const personOf = ({ workspaceId, mpid, environment }: LogScope) =>
  [workspaceId, mpid, environmentNumbers(environment)] as const;

const OF_PERSON_AFTER = `mpid = $2 AND environment = ANY($3)
  AND received_on >= $4 AND (received_on, id) > ($4, $5)`;

/** Position of a batch in the index of its workspace. */
export interface LogKey extends LogPosition {
  readonly mpid: bigint;
}

interface OldBatches {
  readonly workspaceId: WorkspaceId;
  /** Time before which a batch was received to be old. */
  readonly since: Date;
  /** Key behind which to look; undefined: from the first batch on. */
  readonly after: LogKey | undefined;
}

type KeyValues = readonly [bigint, Date | string, bigint];
const FIRST: KeyValues = [-1n, '-infinity', 0n];
const LAST: KeyValues = [INT64_MOST, THE_END.receivedOn, THE_END.id];
const valuesOf = ({ mpid, receivedOn, id }: LogKey): KeyValues => [mpid, receivedOn, id];

/** Finds the key of the `count`th old batch in the order of the index; undefined when there are fewer. */
export async function findOldBatch(
  sql: Sql,
  { workspaceId, since, after }: OldBatches,
  count: number,
): Promise<LogKey | undefined> {
  const [mpid, receivedOn, id] = after === undefined ? FIRST : valuesOf(after);
  const rows = await sql.query<LogKey>(
    `SELECT mpid, received_on AS "receivedOn", id FROM event_batches
     WHERE workspace_id = $1 AND received_on < $2 AND (mpid, received_on, id) > ($3, $4, $5)
     ORDER BY mpid, received_on, id OFFSET $6 LIMIT 1`,
    [workspaceId, since, mpid, receivedOn, id, count - 1],
  );
  return rows[0];
}

/**
 * Deletes old batches up to `last` (undefined: all) and returns how many. Names a range of the index, not a list of keys: a
 * list is joined, and a planner without statistics then reads whole months for each key.
 */
export async function deleteOldBatches(
  sql: Sql,
  { workspaceId, since, after }: OldBatches,
  last: LogKey | undefined,
): Promise<number> {
  return await sql.execute(
    `DELETE FROM event_batches WHERE workspace_id = $1 AND received_on < $2
       AND (mpid, received_on, id) > ($3, $4, $5) AND (mpid, received_on, id) <= ($6, $7, $8)`,
    [
      workspaceId,
      since,
      ...(after === undefined ? FIRST : valuesOf(after)),
      ...(last === undefined ? LAST : valuesOf(last)),
    ],
  );
}
