// Rows become cells as they arrive and gather in chunks. One chunk is ready while another is worked on, and no more. Beyond
// that, nothing is fetched and nothing is taken from the socket, so that memory does not depend on the size of rows or result.
import type { Cell, ReadRequest } from '../../src/warehouse/index.ts';
import type { RowSource } from './fetch-rows.ts';
import type { ReadText } from './nested.ts';
import type { RawRow } from './sdk.ts';

export type Chunk = readonly (readonly Cell[])[];

export interface ChunkQueueJob {
  readonly source: RowSource;
  /** Readers by column; undefined where the text is the cell. */
  readonly readers: readonly (ReadText | undefined)[];
  readonly request: Pick<ReadRequest, 'chunkRows' | 'chunkBytes'>;
  pause(): void;
  resume(): void;
  /** Runs a fetch, which an abort cancels. */
  readonly guard: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Estimated bytes of a cell besides its text. */
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

  /** A fetch is under way on the server. */
  get isFetching(): boolean {
    return this.#fetching !== undefined;
  }

  /**
   * Returns the next chunk, or undefined after the last one.
   * Throws the error that stopped the rows, after the chunks before it.
   */
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

  /** Drops the rows that came and those still coming, and waits for the fetch under way. */
  async discard(): Promise<void> {
    this.#gathering = [];
    this.#settle('ended');
    this.#ready.length = 0;
    await this.#fetching;
  }

  /** Fetches what the chunk still lacks, unless a chunk is ready. */
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
      // an error thrown here would end the connection; the rest of the server's answer is ignored
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

/** Returns a function that turns texts into cells in place: the row's own array becomes that of the cells. */
function converter(readers: readonly (ReadText | undefined)[]): (row: RawRow) => void {
  const steps = readers.flatMap((read, column) => (read === undefined ? [] : [{ column, read }]));
  return (row: Cell[]) => {
    for (const { column, read } of steps) {
      const text = row[column];
      if (typeof text === 'string') row[column] = read(text);
    }
  };
}
