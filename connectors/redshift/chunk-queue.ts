// Rows become cells as they arrive and gather in chunks. One chunk is ready while another is worked on, and no more: beyond
// that nothing is fetched, and nothing taken from the socket, so that memory does not depend on the size of rows or result.
import type { Cell, ReadRequest } from '../../src/warehouse/index.ts';
import type { RowSource } from './fetch-rows.ts';
import type { ReadText } from './nested.ts';
import type { RawRow } from './sdk.ts';

export type Chunk = readonly (readonly Cell[])[];

export interface ChunkQueueJob {
  readonly source: RowSource;
  /** By column; undefined where the text is the cell. */
  readonly readers: readonly (ReadText | undefined)[];
  readonly request: Pick<ReadRequest, 'chunkRows' | 'chunkBytes'>;
  pause(): void;
  resume(): void;
  /** Runs a fetch so that an abort cancels it. */
  readonly guard: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** About what a cell costs beside its text. */
const CELL_BYTES = 16;

type State = 'open' | 'ended' | { readonly failure: unknown };

export class ChunkQueue {
  readonly #job: ChunkQueueJob;
  readonly #convert: (row: RawRow) => void;
  readonly #rowBytes: number;
  readonly #ready: Chunk[] = [];
  #gathering: RawRow[] = [];
  #bytes = 0;
  #state: State = 'open';
  #fetching: Promise<void> | undefined;
  #wake = (): void => undefined;

  constructor(job: ChunkQueueJob) {
    this.#job = job;
    this.#convert = converter(job.readers);
    this.#rowBytes = job.readers.length * CELL_BYTES;
  }

  /** True while the server works for us. */
  get isFetching(): boolean {
    return this.#fetching !== undefined;
  }

  /** Undefined after the last chunk; throws what stopped the rows, after those that came before it. */
  async next(): Promise<Chunk | undefined> {
    while (this.#ready.length === 0 && this.#state === 'open') {
      const change = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#pump();
      await change;
    }
    const chunk = this.#ready.shift();
    if (chunk === undefined && typeof this.#state === 'object') throw this.#state.failure;
    if (this.#ready.length === 0) this.#job.resume();
    this.#pump();
    return chunk;
  }

  /** Drops what is there and what still comes, and waits for what is under way. */
  async discard(): Promise<void> {
    this.#gathering = [];
    this.#settle('ended');
    this.#ready.length = 0;
    await this.#fetching;
  }

  /** Fetches what the chunk still lacks, unless a chunk is waiting. */
  #pump(): void {
    if (this.#fetching !== undefined || this.#state !== 'open' || this.#ready.length > 0) return;
    this.#fetching = this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { guard, source } = this.#job;
    try {
      const hasMore = await guard(() => source.fetch(this.#job.request.chunkRows - this.#gathering.length, this.#take));
      if (!hasMore) this.#settle('ended');
    } catch (failure) {
      this.#settle({ failure });
    }
    this.#fetching = undefined;
    this.#pump();
  }

  readonly #take = (row: RawRow, messageBytes: number): void => {
    if (this.#state !== 'open') return;
    try {
      this.#convert(row);
    } catch (failure) {
      // thrown here it would end the connection; what the server still sends is not looked at any more
      this.#settle({ failure });
      return;
    }
    this.#gathering.push(row);
    this.#bytes += messageBytes + this.#rowBytes;
    if (this.#gathering.length >= this.#job.request.chunkRows || this.#bytes >= this.#job.request.chunkBytes)
      this.#finishChunk();
  };

  #finishChunk(): void {
    this.#ready.push(this.#gathering);
    this.#gathering = [];
    this.#bytes = 0;
    this.#job.pause();
    this.#wake();
  }

  #settle(to: State): void {
    if (this.#state === 'open') {
      this.#state = to;
      if (to === 'ended' && this.#gathering.length > 0) this.#finishChunk();
    }
    this.#job.resume();
    this.#wake();
  }
}

/** Texts become cells in place: the row's own array is the cells' array. */
function converter(readers: readonly (ReadText | undefined)[]): (row: RawRow) => void {
  const steps = readers.flatMap((read, column) => (read === undefined ? [] : [{ column, read }]));
  return (row: Cell[]) => {
    for (const { column, read } of steps) {
      const text = row[column];
      if (typeof text === 'string') row[column] = read(text);
    }
  };
}
