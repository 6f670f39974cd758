// The log of batches is read here and written in batch-log.ts: the only files that know the rows of `event_batches`.
import { ENVIRONMENT_NUMBER, type Environment } from '../../identity/index.ts';
import { INT64_MOST, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { BatchSource } from '../accept/delivery.ts';

/** Stands for no MPID: those are positive. */
export const NOBODY = 0n;

/** Whose batches; without an environment those of both. */
export interface LogScope {
  readonly workspaceId: WorkspaceId;
  readonly environment?: Environment;
  readonly mpid: bigint;
}

/** Where a batch stands among those of its person. */
export interface LogPosition {
  readonly receivedOn: Date;
  readonly id: bigint;
}

export interface StoredBatch extends LogPosition {
  readonly environment: Environment;
  /** undefined: nobody knows who brought it. */
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
  /** The last one of the page before; absent: from the newest on. */
  readonly before?: LogPosition;
}

/** Behind the newest batch. */
export const THE_END = { receivedOn: 'infinity', id: INT64_MOST };

/** Of what was received, a page reads the batches of its first time anew, up to a whole chunk: larger pages do so less often. */
const PAGE_ROWS = 2000;
const PAGE_BYTES = 1024 * 1024;

const COLUMNS = `received_on AS "receivedOn", id, environment, pipeline_number AS "pipelineNumber",
  input_key AS "inputKey", text`;

/** A person's batches, the newest first: one probe of each month's index. */
export async function readBatches(
  sql: Sql,
  { workspaceId, environment, mpid }: LogScope,
  { limit, before }: LogPage,
): Promise<readonly StoredBatch[]> {
  const { receivedOn, id } = before ?? THE_END;
  // the plain comparison spares the months after the position; of the pair alone the planner cannot tell
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
 * The next batches of a person behind `before`, the newest first, as many as a page holds: the last one alone may pass its
 * bytes; none: there are no more. The number of rows is part of the text, so that a plan is made for a few.
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
  return { receivedOn, id, environment: ENVIRONMENTS[environment] as Environment, source: sourceOf(brought), text };
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

/** Of an environment, or of both. */
export function environmentNumbers(environment: Environment | undefined): readonly number[] {
  return environment === undefined ? Object.values(ENVIRONMENT_NUMBER) : [ENVIRONMENT_NUMBER[environment]];
}

/** Which batches of a workspace, in the order of their receipt. Times are inclusive. */
export interface LogSelection {
  readonly workspaceId: WorkspaceId;
  /** Absent: both. */
  readonly environment?: Environment | undefined;
  /** Those that one of these pipelines brought. */
  readonly pipelineNumbers?: readonly bigint[] | undefined;
  /** Those that came in with one of these keys, or were brought for the feed of one. */
  readonly inputKeys?: readonly string[] | undefined;
  readonly from: Date;
  readonly to: Date;
}

export interface ReceivedBatch extends StoredBatch {
  /** undefined: of nobody. */
  readonly mpid: bigint | undefined;
}

/**
 * The next batches behind `after`, as many as a page holds: the last one alone may pass its bytes; none: there are no more.
 * Bounds should lie in one month: of several the planner merges the indexes, which costs their first entries each time.
 * The number of rows is part of the text, so that a plan is made for a few.
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

/** When the first batch was received that the workspace has between two times, inclusive. */
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
