// The log of batches is read here and written in batch-log.ts. Only these files know the rows of `event_batches`.
import { ENVIRONMENT_NUMBER, type Environment } from '../../identity/index.ts';
import { INT64_MOST, itemAt, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { BatchSource } from '../accept/delivery.ts';

/** Stands for no MPID; MPIDs are positive. */
export const NOBODY = 0n;

/** Batches of one MPID; without an environment, those of both. */
export interface LogScope {
  readonly workspaceId: WorkspaceId;
  readonly environment?: Environment;
  readonly mpid: bigint;
}

/** Position of a batch among those of its person. */
export interface LogPosition {
  readonly receivedOn: Date;
  readonly id: bigint;
}

export interface StoredBatch extends LogPosition {
  readonly environment: Environment;
  /** Source of the batch; undefined: unknown. */
  readonly source: BatchSource | undefined;
  /** JSON text, `mpid` and `batch_id` in front. */
  readonly text: string;
}

interface BatchRow extends LogPosition {
  readonly environment: number;
  readonly pipelineNumber: bigint | null;
  readonly inputKey: string | null;
  readonly text: string;
}

export interface LogPage {
  readonly limit: number;
  /** Last batch of the page before; absent: from the newest on. */
  readonly before?: LogPosition;
}

/** Behind the newest batch. */
export const THE_END = { receivedOn: 'infinity', id: INT64_MOST };

/** Rows of a page. A page reads the batches of its first time of receipt again, up to a chunk; large pages do so less often. */
const PAGE_ROWS = 2000;
const PAGE_BYTES = 1024 * 1024;

const COLUMNS = `received_on AS "receivedOn", id, environment, pipeline_number AS "pipelineNumber",
  input_key AS "inputKey", text`;

/** Reads a person's batches, the newest first, with one probe of each month's index. */
export async function readBatches(
  sql: Sql,
  { workspaceId, environment, mpid }: LogScope,
  { limit, before }: LogPage,
): Promise<readonly StoredBatch[]> {
  const { receivedOn, id } = before ?? THE_END;
  // the plain comparison lets the planner skip the months after the position, which the pair alone does not
  const rows = await sql.query<BatchRow>(
    `SELECT ${COLUMNS} FROM event_batches
     WHERE workspace_id = $1 AND mpid = $2 AND environment = ANY($3)
       AND received_on <= $4 AND (received_on, id) < ($4, $5)
     ORDER BY received_on DESC, id DESC LIMIT $6`,
    [workspaceId, mpid, environmentNumbers(environment), receivedOn, id, limit],
  );
  return rows.map(batchOfRow);
}

/**
 * Reads the next page of a person's batches behind `before`, the newest first; an empty page is the end. Only the last
 * batch may exceed the bytes of a page. The number of rows is part of the statement's text, so that its plan is made for
 * few rows.
 */
export async function readBatchesOf(
  sql: Sql,
  { workspaceId, environment, mpid }: LogScope,
  before: LogPosition | undefined,
): Promise<readonly StoredBatch[]> {
  const { receivedOn, id } = before ?? THE_END;
  const rows = await sql.query<BatchRow>(
    `SELECT ${COLUMNS} FROM (
       SELECT page.*, sum(octet_length(text)) OVER (ORDER BY received_on DESC, id DESC) - octet_length(text)
         AS bytes_before FROM (
         SELECT * FROM event_batches
         WHERE workspace_id = $1 AND mpid = $2 AND environment = ANY($3)
           AND received_on <= $4 AND (received_on, id) < ($4, $5)
         ORDER BY received_on DESC, id DESC LIMIT ${PAGE_ROWS}) AS page) AS sized
     WHERE bytes_before < $6 ORDER BY received_on DESC, id DESC`,
    [workspaceId, mpid, environmentNumbers(environment), receivedOn, id, PAGE_BYTES],
  );
  return rows.map(batchOfRow);
}

function batchOfRow({ receivedOn, id, environment, text, ...brought }: BatchRow): StoredBatch {
  return { receivedOn, id, environment: itemAt(ENVIRONMENTS, environment), source: sourceOf(brought), text };
}

function sourceOf({
  pipelineNumber,
  inputKey,
}: Pick<BatchRow, 'pipelineNumber' | 'inputKey'>): BatchSource | undefined {
  if (pipelineNumber !== null) {
    return { kind: 'pipeline', number: pipelineNumber, ...(inputKey !== null && { feedKey: inputKey }) };
  }
  return inputKey === null ? undefined : { kind: 'input', key: inputKey };
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'development'];

/** Returns the number of an environment, or those of both. */
export function environmentNumbers(environment: Environment | undefined): readonly number[] {
  return environment === undefined ? Object.values(ENVIRONMENT_NUMBER) : [ENVIRONMENT_NUMBER[environment]];
}

/** Selection of a workspace's batches, which are read in order of receipt. Times are inclusive. */
export interface LogSelection {
  readonly workspaceId: WorkspaceId;
  /** Environment of the batches; absent: both. */
  readonly environment?: Environment | undefined;
  /** Pipelines that brought the batches; absent: any source. */
  readonly pipelineNumbers?: readonly bigint[] | undefined;
  /** Keys with which the batches came in, or keys of the feeds for which pipelines brought them; absent: any. */
  readonly inputKeys?: readonly string[] | undefined;
  readonly from: Date;
  readonly to: Date;
}

export interface ReceivedBatch extends StoredBatch {
  /** MPID of the batch; undefined: it names nobody. */
  readonly mpid: bigint | undefined;
}

/**
 * Reads the next page of a selection behind `after`; an empty page is the end. Only the last batch may exceed the bytes of
 * a page. Bounds should lie in one month: the planner merges the indexes of several, and reads their first entries each
 * time. The number of rows is part of the statement's text, so that its plan is made for few rows.
 */
export async function readReceived(
  sql: Sql,
  { workspaceId, environment, pipelineNumbers, inputKeys, to }: LogSelection,
  after: LogPosition,
): Promise<readonly ReceivedBatch[]> {
  const rows = await sql.query<BatchRow & { readonly mpid: bigint }>(
    `SELECT ${COLUMNS}, mpid FROM (
       SELECT page.*, sum(octet_length(text)) OVER (ORDER BY received_on, id) - octet_length(text) AS bytes_before FROM (
         SELECT * FROM event_batches
         WHERE workspace_id = $1 AND received_on >= $2 AND received_on <= $3 AND (received_on, id) > ($2, $4)
           AND environment = ANY($5) AND ($6::int8[] IS NULL OR pipeline_number = ANY($6))
           AND ($7::text[] IS NULL OR input_key = ANY($7))
         ORDER BY received_on, id LIMIT ${PAGE_ROWS}) AS page) AS sized
     WHERE bytes_before < $8 ORDER BY received_on, id`,
    [
      workspaceId,
      after.receivedOn,
      to,
      after.id,
      environmentNumbers(environment),
      pipelineNumbers ?? null,
      inputKeys ?? null,
      PAGE_BYTES,
    ],
  );
  return rows.map((row) => ({ ...batchOfRow(row), mpid: row.mpid === NOBODY ? undefined : row.mpid }));
}

/** Returns the time of receipt of the workspace's first batch between two times, inclusive. */
export async function nextReceipt(
  sql: Sql,
  { workspaceId, from, to }: Pick<LogSelection, 'workspaceId' | 'from' | 'to'>,
): Promise<Date | undefined> {
  const rows = await sql.query<{ receivedOn: Date }>(
    `SELECT received_on AS "receivedOn" FROM event_batches
     WHERE workspace_id = $1 AND received_on >= $2 AND received_on <= $3 ORDER BY received_on LIMIT 1`,
    [workspaceId, from, to],
  );
  return rows[0]?.receivedOn;
}
