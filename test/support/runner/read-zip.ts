import { text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Name → text of every entry, in order; sizes and checksums are verified by the reader. */
export async function readZip(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const zip = await fromBufferPromise(bytes);
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  }
  return entries;
}
