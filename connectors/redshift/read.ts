import type { ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cancellable } from '../_shared/cancellable.ts';
import { freedChunks } from '../_shared/freed-chunks.ts';
import { labelText } from '../_shared/label-text.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { describe } from './describe.ts';
import { type RowSource, rowSource } from './fetch-rows.ts';
import type { Link } from './link/link.ts';
import { STATEMENTS } from './statements.ts';
import type { Unload } from './unload/unload.ts';

export interface ReadJob {
  readonly link: Link;
  readonly request: ReadRequest;
  readonly signal: AbortSignal;
  readonly unload?: Unload | undefined;
  /** Returns the link, once. */
  readonly release: () => Promise<void>;
}

interface Stream {
  readonly source: RowSource;
  readonly queue: ChunkQueue;
  readonly leaving: AbortController;
}

/** Reads the rows of one statement on a link that nothing else uses meanwhile. */
export async function startRead(job: ReadJob): Promise<ReadResult> {
  const { link, request, signal } = job;
  const { sql, columns, shapes } = await cancellable(link, signal, async () => {
    if (request.label !== undefined) await link.run(STATEMENTS[link.product].label(labelText(request.label)));
    return await describe(link, request.statement);
  });
  const leaving = new AbortController();
  const stop = AbortSignal.any([signal, leaving.signal]);
  const source = job.unload?.({ link, request, columns, sql: sql.text, signal: stop }) ?? rowSource(link, sql);
  const queue = new ChunkQueue({
    source,
    request,
    readers: shapes.map(({ read }) => read),
    pause: () => link.pause(),
    resume: () => link.resume(),
    guard: (work) => cancellable(link, stop, work),
  });
  const free = () => letGo(job, { source, queue, leaving });
  return { columns, chunks: freedChunks({ next: () => queue.next(), free }) };
}

/**
 * Frees the link. A fetch under way is cancelled, and its link with it; otherwise the portal closes and the link keeps its
 * snapshot.
 */
async function letGo({ link, signal, release }: ReadJob, { source, queue, leaving }: Stream): Promise<void> {
  if (queue.isFetching) leaving.abort();
  await queue.discard();
  if (signal.aborted) link.isSound = false;
  try {
    if (link.isSound) await source.close();
  } catch {
    link.isSound = false;
  }
  await source.dispose?.();
  await release();
}
