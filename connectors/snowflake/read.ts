import type { Column, ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { freedChunks } from '../_shared/freed-chunks.ts';
import { labelText } from '../_shared/label-text.ts';
import { columnsOf } from './describe.ts';
import { bindSql } from './link/bind.ts';
import type { Link } from './link/link.ts';
import { type Chunk, type Rows, rowsOf } from './link/rows.ts';

export interface ReadJob {
  readonly link: Link;
  readonly request: ReadRequest;
  readonly signal: AbortSignal;
  readonly idleMs: number;
  /** Returns the link, once. */
  readonly release: () => Promise<void>;
}

/**
 * Reads the rows of one statement on a link that nothing else uses meanwhile. Resolves after the server has computed them all.
 */
export async function startRead(job: ReadJob): Promise<ReadResult> {
  const { link, request, signal, idleMs, release } = job;
  const tag = request.label === undefined ? undefined : labelText(request.label);
  const statement = await link.run(bindSql(request.statement), { signal, tag });
  const columns: readonly Column[] = columnsOf(statement);
  const rows = rowsOf({ link, statement, request, signal, idleMs });
  const free = async () => {
    rows.stop();
    if (signal.aborted) link.isSound = false;
    await release();
  };
  return { columns, chunks: freedChunks({ next: () => nextOf(link, rows), free }) };
}

/** Returns the next rows. A link that failed to give them is not used again. */
async function nextOf(link: Link, rows: Rows): Promise<Chunk | undefined> {
  try {
    return await rows.next();
  } catch (failure) {
    link.isSound = false;
    throw failure;
  }
}
