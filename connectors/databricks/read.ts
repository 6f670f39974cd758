import { setImmediate as turn } from 'node:timers/promises';
import type { ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cutChunks, type Piece, readRows } from '../_shared/cut-chunks.ts';
import { freedChunks } from '../_shared/freed-chunks.ts';
import { type Described, describe } from './describe.ts';
import { classify } from './errors.ts';
import { bindSql } from './render.ts';
import { type Batch, batchOpener, fileOpener } from './rows/batches.ts';
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
export async function startRead(job: ReadJob): Promise<ReadResult> {
  const { session, request, signal } = job;
  const described = await describe(session, request.statement, signal);
  try {
    return await readDescribed(job, described);
  } catch (failure) {
    if (!(failure instanceof UnusableFiles)) throw failure;
    // no row was handed over, and the result cache answers the statement
    session.mayLink = false;
    return await readDescribed(job, described);
  }
}

/** The files of a result cannot be used: their host is not allowed, unknown, or behind a firewall, or one is too large. */
class UnusableFiles extends Error {}

async function readDescribed(
  { session, request, signal }: ReadJob,
  { columns, shapes }: Described,
): Promise<ReadResult> {
  const { text, parameters } = bindSql(request.statement);
  const tags = { application: 'penstock', ...request.label };
  const toStart = { text: readSql(text, shapes), parameters, tags, mayLink: session.mayLink };
  const used = guarded(await session.start(toStart, signal));
  try {
    const metadata = await used.guard(signal, async () => {
      await used.statement.finish();
      return await used.statement.metadata();
    });
    const isLinked = session.mayLink && metadata.resultFormat === session.sdk.wire.TSparkRowSetType.URL_BASED_SET;
    const open = isLinked ? fileOpener : batchOpener;
    const source = createRowSource({ used, open: open(session.sdk, metadata, shapes), request, signal, isLinked });
    if (isLinked) await source.begin().catch(nameUnusable);
    const rows = cutChunks(piecesOf(source), columns, request);
    const next = async () => (await rows.next()).value;
    return { columns, chunks: freedChunks({ next, free: () => letGo(used, source) }) };
  } catch (failure) {
    await used.close();
    throw failure;
  }
}

/** Refused or unknown host, no way to it, a proxy that answers in its place, or a file that is too large. */
const LEAVING_LINKS: ReadonlySet<string> = new Set([
  'WAREHOUSE_CONFIG',
  'WAREHOUSE_UNREACHABLE',
  'WAREHOUSE_SESSION_LOST',
  'WAREHOUSE_DATA',
]);

function nameUnusable(failure: unknown): never {
  const { code } = classify(failure);
  if (!LEAVING_LINKS.has(code)) throw failure;
  throw new UnusableFiles('The files of the result cannot be used.', { cause: failure });
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
    rows: (from, to) => readRows(readers, start + from, start + to),
  };
}
