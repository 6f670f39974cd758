import type { Column, ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
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
  const { link, request, signal, idleMs } = job;
  const tag = request.label === undefined ? undefined : labelText(request.label);
  const statement = await link.run(bindSql(request.statement), { signal, tag });
  const columns: readonly Column[] = columnsOf(statement);
  const rows = rowsOf({ link, statement, request, signal, idleMs });
  return { columns, chunks: { [Symbol.asyncIterator]: () => iterator(job, rows) } };
}

/** Returns an iterator whose `return` frees the link even if no row was requested, as a generator alone would not. */
function iterator({ link, signal, release }: ReadJob, rows: Rows): AsyncIterator<Chunk, undefined> {
  let freed: Promise<void> | undefined;
  const free = () => {
    rows.stop();
    if (signal.aborted) link.isSound = false;
    freed ??= release();
    return freed;
  };
  return {
    async next() {
      try {
        const chunk = await rows.next();
        if (chunk !== undefined) return { done: false, value: chunk };
      } catch (failure) {
        link.isSound = false;
        throw failure;
      }
      await free();
      return { done: true, value: undefined };
    },
    async return() {
      await free();
      return { done: true, value: undefined };
    },
  };
}
