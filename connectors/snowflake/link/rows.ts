// Rows, taken from the SDK's stream on request, and no sooner. Their texts become cells in place.
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell, ReadRequest } from '../../../src/warehouse/index.ts';
import type { RawColumn, RawRow, RowStatement, RowStream } from '../sdk.ts';
import { readerOf } from '../types.ts';
import type { Link } from './link.ts';
import { type Events, watchStream } from './row-events.ts';

export type Chunk = readonly (readonly Cell[])[];

export interface RowJob {
  readonly link: Link;
  readonly statement: RowStatement;
  readonly request: Pick<ReadRequest, 'chunkRows' | 'chunkBytes'>;
  readonly signal: AbortSignal;
  /** Longest silence while rows are awaited. */
  readonly idleMs: number;
}

export interface Rows {
  /** Returns the next chunk, or undefined after the last. */
  next(): Promise<Chunk | undefined>;
  /** Stops fetching. */
  stop(): void;
}

/** Rows between two turns of the event loop, which the stream itself never gives. */
const SLICE_ROWS = 2000;

/** Returns all rows of a result, as many as the server announced: fewer are an error, never an end. */
export function rowsOf(job: RowJob): Rows {
  const { link, statement, request } = job;
  const stream = link.onLine(() => openStream(statement));
  const events = watchStream(stream);
  const convert = converter(statement);
  let count = 0;
  return {
    async next() {
      const chunk: Filling = { rows: [], bytes: 0, most: request.chunkRows, mostBytes: request.chunkBytes };
      do {
        link.onLine(() => fill(chunk, stream, convert));
        // after a full slice or chunk, other work runs; otherwise rows must arrive first
        if (chunk.rows.length > 0 && stream.readableLength > 0) await setImmediate();
        else if (!isFull(chunk) && !(await more(events, job))) break;
      } while (!isFull(chunk));
      count += chunk.rows.length;
      if (chunk.rows.length > 0) return chunk.rows;
      requireAll(count, statement);
      return undefined;
    },
    stop: () => void stream.destroy(),
  };
}

interface Filling {
  readonly rows: RawRow[];
  readonly most: number;
  readonly mostBytes: number;
  bytes: number;
}

function isFull({ rows, bytes, most, mostBytes }: Filling): boolean {
  return rows.length >= most || bytes >= mostBytes;
}

/** Takes the available rows, at most a slice. */
function fill(chunk: Filling, stream: RowStream, convert: (row: RawRow) => number): void {
  const end = chunk.rows.length + SLICE_ROWS;
  while (chunk.rows.length < end && !isFull(chunk)) {
    const row = stream.read();
    if (row === null) return;
    chunk.bytes += convert(row);
    chunk.rows.push(row);
  }
}

/** Waits for rows. Returns false at the end. */
async function more(events: Events, job: RowJob): Promise<boolean> {
  if (events.failure !== undefined) throw events.failure.thrown;
  if (events.hasEnded) return false;
  await events.next(job);
  return true;
}

/** Opens a stream of the server's own texts: the SDK would turn them into inexact numbers and dates. */
function openStream(statement: RowStatement): RowStream {
  for (const column of (statement.getColumns() ?? []) as unknown as readonly RawColumn[]) {
    const index = column.getIndex();
    column._getRowValue = ({ values }) => values[index] ?? null;
  }
  return statement.streamRows() as RowStream;
}

/** Estimated bytes of a cell besides its text. */
const CELL_BYTES = 16;

function converter(statement: RowStatement): (row: RawRow) => number {
  const readers = (statement.getColumns() ?? []).map(readerOf);
  return (row: Cell[]) => {
    let bytes = row.length * CELL_BYTES;
    for (let index = 0; index < row.length; index += 1) {
      const text = row[index];
      if (typeof text !== 'string') continue;
      bytes += text.length;
      const read = readers[index];
      if (read !== undefined) row[index] = read(text);
    }
    return bytes;
  };
}

function requireAll(count: number, statement: RowStatement): void {
  const announced: number | undefined = statement.getNumRows();
  if (announced === undefined || announced === count) return;
  throw new AppError(
    'WAREHOUSE_SESSION_LOST',
    `The warehouse announced ${announced} rows but returned ${count}; the others were lost in transit.`,
  );
}
