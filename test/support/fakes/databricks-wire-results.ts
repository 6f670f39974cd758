// Results of the wire server: rows in columns, as Arrow, or as Arrow files behind links.
import type { IncomingMessage } from 'node:http';
import type { TColumn } from '@databricks/sql/thrift/TCLIService_types.js';
import { makeInt64, T } from '../servers/databricks/thrift.ts';

/** An answer to a statement: a refusal, rows as Arrow, or rows in columns. */
export type WireAnswer =
  | { readonly refused: string; readonly sqlState?: string }
  | {
      /** Arrow IPC. */
      readonly schema: Buffer;
      readonly columns: readonly string[];
      /** Present: as files behind links where the statement may have them. Milliseconds that the n-th links are good for. */
      readonly linked?: (n: number) => number;
      /** Headers that links ask for. */
      readonly headers?: Readonly<Record<string, string>>;
      /** Bytes that the second file is said to have; default: its own. */
      readonly secondBytes?: number;
      /** Each fetch gives one. */
      readonly batches: readonly { readonly bytes: Buffer; readonly rows: number }[];
    }
  | { readonly columnSet: readonly TColumn[] };

/** The storage to which links lead. */
export const STORAGE_HOST = 'dbstorage5rsakvq33xot2.blob.core.windows.net';

/** A statement that was started. */
export interface Operation {
  readonly id: string;
  readonly mayLink: boolean;
  readonly sql: string;
  readonly answer: WireAnswer;
  asked: number;
  fetched: number;
}

export const OK = new T.TStatus({ statusCode: T.TStatusCode.SUCCESS_STATUS });

interface Asked {
  /** Number of questions before this one. */
  readonly asked: number;
  /** Row from which on links are wanted. */
  readonly from: number;
}

export function resultsOf(operation: Operation, asked: Asked): object {
  return isLinked(operation) ? nextLinks(operation, asked) : nextRows(operation);
}

/** Gives a file with its schema, or undefined where there is none, or where somebody shows the warehouse's token. */
export function fileOf(operations: ReadonlyMap<string, Operation>, { url = '', headers }: IncomingMessage) {
  const [, , id = '', at = ''] = new URL(url, 'https://storage').pathname.split('/');
  const answer = operations.get(id)?.answer;
  if (answer === undefined || !('batches' in answer) || headers.authorization !== undefined) return undefined;
  const batch = answer.batches[Number(at)];
  return batch === undefined ? undefined : Buffer.concat([answer.schema, batch.bytes]);
}

/** Describes the result: in columns, as Arrow, or as links to files. */
export function metadataOf(operation: Operation): object {
  const { answer } = operation;
  const { ARROW_BASED_SET, COLUMN_BASED_SET, URL_BASED_SET } = T.TSparkRowSetType;
  const arrow = isLinked(operation) ? URL_BASED_SET : ARROW_BASED_SET;
  const isArrow = 'schema' in answer;
  const names = 'columnSet' in answer ? answer.columnSet.map((_, index) => `c${index}`) : isArrow ? answer.columns : [];
  return new T.TGetResultSetMetadataResp({
    ...{ status: OK, resultFormat: isArrow ? arrow : COLUMN_BASED_SET, lz4Compressed: false },
    schema: new T.TTableSchema({ columns: names.map(columnDesc) }),
    ...(isArrow ? { arrowSchema: answer.schema } : {}),
  });
}

function columnDesc(columnName: string, index: number) {
  const primitiveEntry = new T.TPrimitiveTypeEntry({ type: T.TTypeId.STRING_TYPE });
  const typeDesc = new T.TTypeDesc({ types: [new T.TTypeEntry({ primitiveEntry } as never)] });
  return new T.TColumnDesc({ columnName, typeDesc, position: index + 1 });
}

function isLinked({ answer, mayLink }: Operation): boolean {
  return mayLink && 'linked' in answer && answer.linked !== undefined;
}

/** Gives links to two files, from the row on that is asked for. */
function nextLinks({ id, answer }: Operation, { asked, from }: Asked) {
  const batches = 'batches' in answer ? answer.batches : [];
  let start = 0;
  const links = batches.map(({ bytes, rows }, at) => {
    start += rows;
    const said = at === 1 && 'linked' in answer ? answer.secondBytes : undefined;
    const numbers = [start - rows, rows, said ?? bytes.length];
    const [startRowOffset, rowCount, bytesNum] = numbers.map((n) => makeInt64(n) as never);
    const livesMs = 'linked' in answer ? (answer.linked?.(asked) ?? 0) : 0;
    const expiryTime = makeInt64(Date.now() + livesMs) as never;
    const fileLink = `https://${STORAGE_HOST}/results/${id}/${at}?sig=s1gned`;
    const httpHeaders = 'linked' in answer ? answer.headers : undefined;
    return new T.TSparkArrowResultLink({
      fileLink,
      expiryTime,
      startRowOffset,
      rowCount,
      bytesNum,
      httpHeaders,
    } as never);
  });
  const wanted = links.filter((link) => Number(link.startRowOffset) >= from);
  const results = new T.TRowSet({ startRowOffset: makeInt64(from) as never, rows: [] });
  results.resultLinks = wanted.slice(0, 2);
  return new T.TFetchResultsResp({ status: OK, hasMoreRows: wanted.length > 2, results });
}

function nextRows(operation: Operation): object {
  const { answer } = operation;
  const at = operation.fetched++;
  const results = new T.TRowSet({ startRowOffset: makeInt64(0) as never, rows: [] });
  if ('columnSet' in answer) {
    if (at === 0) results.columns = [...answer.columnSet];
    return new T.TFetchResultsResp({ status: OK, hasMoreRows: false, results });
  }
  const batches = 'batches' in answer ? answer.batches : [];
  const batch = batches[at];
  results.arrowBatches =
    batch === undefined
      ? []
      : [new T.TSparkArrowBatch({ batch: batch.bytes, rowCount: makeInt64(batch.rows) as never })];
  return new T.TFetchResultsResp({ status: OK, hasMoreRows: at + 1 < batches.length, results });
}
