// A request body from the socket: encoding, size and media type. The limit counts decompressed bytes and stops a compression
// bomb while it unfolds, so that memory never holds more than the limit.
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../kernel/index.ts';

/** Tells whether the headers announce a body; a chunked body may still turn out empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns the bytes of the body, decompressed. Throws UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, MALFORMED_BODY or CANCELLED. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const isGzip = isGzipEncoded(request.headers['content-encoding']);
  if (!isGzip && Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  return await collect(request, isGzip, limitBytes);
}

function isGzipEncoded(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return false;
  if (name === 'gzip' || name === 'x-gzip') return true;
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Content-Encoding "${name}" is not supported; send gzip, or no Content-Encoding.`,
  );
}

function collect(request: IncomingMessage, isGzip: boolean, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const gunzip = isGzip ? createGunzip() : undefined;
  const bytes = gunzip ?? request;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let wireBytes = 0;

  const stop = (error: AppError) => {
    bytes.off('data', keep);
    request.off('data', countWire);
    if (gunzip !== undefined) request.unpipe(gunzip);
    gunzip?.destroy();
    // the rest is read and discarded, so that the caller can read the answer; the server's request timeout bounds the time
    request.resume();
    reject(error);
  };
  const keep = (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) stop(tooLarge(limitBytes));
    else chunks.push(chunk);
  };
  // endless gzip of nothing never reaches the limit by its output; incompressible data grows a little, hence the margin
  const countWire = (chunk: Buffer) => {
    wireBytes += chunk.length;
    if (wireBytes > limitBytes * 1.1 + 1024) stop(tooLarge(limitBytes));
  };
  const gone = () => stop(new AppError('CANCELLED', 'The client closed the connection before the whole body arrived.'));

  bytes.on('data', keep);
  bytes.once('end', () => resolve(Buffer.concat(chunks, sizeBytes)));
  request.once('error', gone);
  request.once('close', () => {
    if (!request.complete && !request.readableEnded) gone();
  });
  if (gunzip !== undefined) {
    gunzip.once('error', (cause) => stop(notGzip(cause)));
    request.on('data', countWire);
    request.pipe(gunzip);
  }
  return promise;
}

function tooLarge(limitBytes: number): AppError {
  return new AppError(
    'BODY_TOO_LARGE',
    `The body is larger than ${limitBytes} bytes after decompression; send smaller requests.`,
  );
}

function notGzip(cause: Error): AppError {
  return new AppError(
    'MALFORMED_BODY',
    `The body is not valid gzip, although Content-Encoding says so: ${cause.message}.`,
    {
      cause,
    },
  );
}
