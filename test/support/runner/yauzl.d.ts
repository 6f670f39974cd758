// Types of the used part of yauzl, which brings no types.
declare module 'yauzl' {
  import type { Readable } from 'node:stream';

  export interface Entry {
    readonly fileName: string;
    readonly uncompressedSize: number;
  }

  export interface ZipFile extends AsyncIterable<Entry> {
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
  }

  export function fromBufferPromise(buffer: Buffer): Promise<ZipFile>;
}
