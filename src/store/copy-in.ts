import { setImmediate } from 'node:timers/promises';
import type { Connection, PoolClient, Submittable } from 'pg';
import type { CopyTarget } from './contract.ts';
import {
  createFill,
  createSlab,
  framedBytes,
  type RowSource,
  resetSlab,
  type Slab,
  writeHeader,
  writeTrailer,
} from './copy-encode.ts';
import { storeError } from './errors.ts';

/** Slabs that are filled or on their way at the same time: bounds the memory of a COPY, however many rows it has. */
const SLABS = 4;

const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');
const COPY_FAIL = Buffer.from('f\0\0\0\x05\0', 'latin1');

/** The handlers that pg calls while our query is the active one; its types know only `submit`. */
interface CopyInQuery extends Submittable {
  handleCopyInResponse(connection: Connection): void;
  handleCommandComplete(): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
}

/**
 * Writes the rows of `source` into `target` by binary COPY FROM STDIN. Rows are encoded slab by slab, with a turn of the event
 * loop between two of them, so that the socket and other work go on. Rejects with an AppError; an error that `row` throws is
 * passed on as it is and leaves the transaction aborted.
 */
export function copyIn(client: PoolClient, target: CopyTarget, source: RowSource): Promise<void> {
  const names = target.columns.map(({ name }) => `"${name}"`).join(', ');
  const text = `COPY "${target.table}" (${names}) FROM STDIN (FORMAT binary)`;
  return new Promise((resolve, reject) => {
    let over = false;
    let thrown: unknown;
    const query: CopyInQuery = {
      submit: (connection) => connection.query(text),
      handleCopyInResponse(connection) {
        send(connection, createFill(target.columns), { source, isOver: () => over }).catch((error: unknown) => {
          thrown = error;
          connection.stream.write(COPY_FAIL);
        });
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      // the server answers the failure, whoever caused it; not to reject here would wait for ever
      handleError(error) {
        over = true;
        reject(thrown ?? storeError(error));
      },
    };
    client.query(query);
  });
}

interface Sending {
  readonly source: RowSource;
  readonly isOver: () => boolean;
}

async function send(
  connection: Connection,
  fill: ReturnType<typeof createFill>,
  { source, isOver }: Sending,
): Promise<void> {
  const slabs = slabsFor(connection);
  let next = 0;
  let first = true;
  do {
    const slab = await slabs.take();
    if (isOver()) return;
    if (first) writeHeader(slab);
    first = false;
    next = fill(slab, source, next);
    if (next >= source.count) writeTrailer(slab);
    slabs.send(slab);
    await setImmediate();
  } while (next < source.count);
  if (!isOver()) connection.stream.write(COPY_DONE);
}

/**
 * Slabs that no COPY uses, kept for the next ones. Allocating them for each of many small COPYs took a quarter of the time
 * (events over HTTP, groups of a hundred).
 */
const SPARE: Slab[] = [];
const MOST_SPARE = 16;

/** Creates a pool of a few slabs; `take` waits until the socket is done with one. A dead socket gives all back. */
function slabsFor(connection: Connection) {
  const waiting: ((slab: Slab) => void)[] = [];
  let taken = 0;
  const give = (slab: Slab) => {
    resetSlab(slab);
    const taker = waiting.shift();
    if (taker !== undefined) return taker(slab);
    taken--;
    if (SPARE.length < MOST_SPARE) SPARE.push(slab);
  };
  return {
    take(): Promise<Slab> | Slab {
      if (taken === SLABS) return new Promise((resolve) => waiting.push(resolve));
      taken++;
      return SPARE.pop() ?? createSlab();
    },
    send(slab: Slab): void {
      connection.stream.write(framedBytes(slab), () => give(slab));
    },
  };
}
