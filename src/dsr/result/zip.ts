import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** One file in a zip. Its text is read once, to its end, before the next entry is asked for. */
export interface ZipEntry {
  readonly name: string;
  readonly text: AsyncIterable<string>;
}

/** JSON of events: level 6 makes 10 % less of it and takes twice as long. */
const COMPRESSION_LEVEL = 3;

/**
 * A zip of the entries, made while it is read: memory holds a few buffers of it, whatever its size. Throws what an entry
 * throws. yazl writes sizes behind each entry, since nobody knows them before, and zip64 records where 32 bits do not hold
 * a place in the archive; an entry itself must stay below 4 GiB.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>, madeOn: Date): AsyncGenerator<Buffer, void, undefined> {
  const zip = new ZipFile();
  const stop = new AbortController();
  const feeding = feed(zip, entries, { madeOn, signal: stop.signal }).then(
    () => zip.end(),
    (error: unknown) => void zip.outputStream.destroy(error as Error),
  );
  try {
    yield* zip.outputStream as AsyncIterable<Buffer>;
  } finally {
    stop.abort();
    await feeding;
  }
}

interface Feeding {
  readonly madeOn: Date;
  /** Nobody reads the archive any more. */
  readonly signal: AbortSignal;
}

async function feed(zip: ZipFile, entries: AsyncIterable<ZipEntry>, { madeOn, signal }: Feeding): Promise<void> {
  for await (const { name, text } of entries) {
    const source = Readable.from(text, { objectMode: false });
    const read = new Promise<void>((resolve, reject) => {
      source.once('error', reject).once('close', resolve);
    });
    const giveUp = () => void source.destroy();
    signal.addEventListener('abort', giveUp, { once: true });
    zip.addReadStream(source, name, { mtime: madeOn, compressionLevel: COMPRESSION_LEVEL });
    await read;
    signal.removeEventListener('abort', giveUp);
    if (signal.aborted) return;
  }
}
