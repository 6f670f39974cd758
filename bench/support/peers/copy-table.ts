// The floor: the bytes that COPY gives of one table go to COPY into another, and nobody looks at them.
import pg from 'pg';
import { submit, wireOf } from '../../../connectors/redshift/link/wire-query.ts';
import type { Wire, WireQuery } from '../../../connectors/redshift/sdk.ts';
import { forgetPeak, peakMemoryMb } from '../process-cost.ts';

const PART_BYTES = 64 * 1024;
const HEADER_BYTES = 5;
const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');

interface CopyPlace {
  readonly url: string;
  readonly table: string;
}

/**
 * Copies all rows in PostgreSQL's binary format at the pace of the slower server.
 * Returns the peak memory of this process in MiB.
 */
export async function copyTable(from: CopyPlace, to: CopyPlace): Promise<number> {
  forgetPeak(process.pid);
  await using source = await connect(from.url);
  await using target = await connect(to.url);
  await new Promise<void>((resolve, reject) => {
    const reading = (wire: Wire) => ({
      ...query(`COPY ${from.table} TO STDOUT (FORMAT binary)`, reject),
      ...forwarding(wireOf(source.client), wire),
    });
    submit(target.client, {
      ...query(`COPY ${to.table} FROM STDIN (FORMAT binary)`, reject),
      handleCopyInResponse: (wire) => submit(source.client, reading(wire)),
      handleReadyForQuery: resolve,
    });
  });
  return peakMemoryMb(process.pid);
}

async function connect(connectionString: string): Promise<AsyncDisposable & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

function query(text: string, handleError: (failure: Error) => void): WireQuery {
  return {
    ...{ submit: (wire) => wire.query(text), handleError, handleReadyForQuery: nothing, handleRowDescription: nothing },
    ...{
      handleDataRow: nothing,
      handleCommandComplete: nothing,
      handlePortalSuspended: nothing,
      handleEmptyQuery: nothing,
    },
  };
}

/** Copies each message at once, because the driver uses its buffer again, and sends parts of 64 KiB. */
function forwarding(source: Wire, target: Wire) {
  let part = Buffer.allocUnsafe(PART_BYTES);
  let used = HEADER_BYTES;
  const flush = () => {
    part[0] = COPY_DATA;
    part.writeInt32BE(used - 1, 1);
    const isTaken = target.stream.write(part.subarray(0, used));
    part = Buffer.allocUnsafe(PART_BYTES);
    used = HEADER_BYTES;
    if (isTaken) return;
    source.stream.pause();
    target.stream.once('drain', () => source.stream.resume());
  };
  return {
    handleCopyData({ chunk }: { readonly chunk: Buffer }) {
      if (used + chunk.length > PART_BYTES) flush();
      used += chunk.copy(part, used);
    },
    handleCommandComplete() {
      flush();
      target.stream.write(COPY_DONE);
    },
  };
}

function nothing(): void {
  // a COPY has no rows of the protocol
}
