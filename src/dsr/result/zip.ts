import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** One file in a zip. Its text is read to its end before the next entry is requested. */
export interface ZipEntry {
  readonly name: string;
  readonly text: AsyncIterable<string>;
}

/** Compression of events as JSON: level 6 saves 10 % more bytes and takes twice as long. */
const COMPRESSION_LEVEL = 3;

/**
 * Yields a zip of the entries as it is read: memory holds a few buffers, whatever the size. Throws what an entry throws. yazl
 * writes sizes behind each entry, because they are unknown before. It writes zip64 records where offsets exceed 32 bits; an
 * entry itself must stay below 4 GiB.
 */
export async function* createZip(
  entries: AsyncIterable<ZipEntry>,
  madeOn: Date,
): AsyncGenerator<Buffer, void, undefined> {
  const zip = new ZipFile();
  const stop = new AbortController();
  const feeding = feed(zip, entries, { madeOn, signal: stop.signal }).then(
    () => zip.end(),
    (error: unknown) => void zip.outputStream.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    yield* zip.outputStream;
  } finally {
    stop.abort();
    await feeding;
  }
}

interface Feeding {
  readonly madeOn: Date;
  /** Signal that nobody reads the archive any more. */
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
