import { setImmediate as turn } from 'node:timers/promises';
import type { Cell, ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cutChunks, type Piece, type Row } from '../_shared/cut-chunks.ts';
import { describe } from './describe.ts';
import { bindSql } from './render.ts';
import type { CellReader } from './rows/arrow-columns.ts';
import { type Batch, batchOpener } from './rows/batches.ts';
import { createRowSource, type RowSource } from './rows/row-source.ts';
import type { ServerSession } from './server-session.ts';
import { readSql } from './statements.ts';
import { guarded, type UsedStatement } from './use-statement.ts';
import { bounded } from './waiting.ts';

export interface ReadJob {
  readonly session: ServerSession;
  readonly request: ReadRequest;
  readonly signal: AbortSignal;
}

/** Describes and starts the statement, and waits until it has rows, which are fetched on request. */
export async function startRead({ session, request, signal }: ReadJob): Promise<ReadResult> {
  const { columns, shapes } = await describe(session, request.statement, signal);
  const { text, parameters } = bindSql(request.statement);
  const tags = { application: 'penstock', ...request.label };
  const used = guarded(await session.start({ text: readSql(text, shapes), parameters, tags }, signal));
  try {
    const metadata = await used.guard(signal, async () => {
      await used.statement.finish();
      return await used.statement.metadata();
    });
    const source = createRowSource({ used, open: batchOpener(session.sdk, metadata, shapes), request, signal });
    return { columns, chunks: iterable(cutChunks(piecesOf(source), columns, request), () => letGo(used, source)) };
  } catch (failure) {
    await used.close();
    throw failure;
  }
}

/** Returns an iterable whose `return` frees the statement even if no row was requested, as a generator alone would not. */
function iterable(rows: AsyncGenerator<readonly Row[], undefined>, free: () => Promise<void>): ReadResult['chunks'] {
  let freed: Promise<void> | undefined;
  const once = () => {
    freed ??= free();
    return freed;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await rows.next();
        if (result.done === true) await once();
        return result;
      },
      async return() {
        await once();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Cancels a fetch under way and then closes the statement: the close alone would wait for the fetch. */
async function letGo(used: UsedStatement, source: RowSource): Promise<void> {
  if (source.isFetching) await bounded(used.statement.cancel());
  await used.close();
}

/** Rows that become cells between two turns of the event loop. */
const PIECE_ROWS = 1000;

async function* piecesOf(source: RowSource): AsyncGenerator<Piece, undefined> {
  for (let batches = await source.next(); batches !== undefined; batches = await source.next()) {
    for (const batch of batches) {
      for (let at = 0; at < batch.rows; at += PIECE_ROWS) {
        yield pieceOf(batch, at);
        await turn();
      }
    }
  }
}

function pieceOf({ rows, readers }: Batch, start: number): Piece {
  return {
    rowCount: Math.min(PIECE_ROWS, rows - start),
    rows: (from, to) => rowsOf(readers, start + from, start + to),
  };
}

/** Builds rows column by column, which keeps each reader hot. */
function rowsOf(readers: readonly CellReader[], from: number, to: number): Row[] {
  const rows: Row[] = [];
  for (let index = from; index < to; index++) rows.push(new Array<Cell>(readers.length));
  for (const [column, read] of readers.entries()) {
    for (let index = from; index < to; index++) (rows[index - from] as Row)[column] = read(index);
  }
  return rows;
}
