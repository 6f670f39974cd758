// The part of yazl in use; the package has no types.
declare module 'yazl' {
  import type { Readable } from 'node:stream';

  export class ZipFile {
    readonly outputStream: Readable & AsyncIterable<Buffer>;
    addReadStream(
      source: Readable,
      name: string,
      options: { readonly mtime: Date; readonly compressionLevel: number },
    ): void;
    end(): void;
  }
}
