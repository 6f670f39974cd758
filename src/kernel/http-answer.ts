// Answers to requests of our own, whose other side may be anybody.
import type { ClientRequest, IncomingMessage } from 'node:http';

/** Waits for the head of the answer. Throws the error of the request. */
export function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // an answer that changes the protocol closes the connection without an error
    request.once('close', () => reject(closedEarly()));
  });
}

function closedEarly(): Error {
  return Object.assign(new Error('The server closed the connection'), { code: 'ECONNRESET' });
}

/** The beginning of a stream. */
export interface Beginning {
  readonly bytes: Buffer;
  /** The stream has no more bytes. */
  readonly isWhole: boolean;
}

/** Reads at most `mostBytes` of a stream, and destroys a longer one. */
export async function readUpTo(stream: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Beginning> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of stream) {
    parts.push(part);
    sizeBytes += part.byteLength;
    // leaving the loop closes the connection
    if (sizeBytes > mostBytes) break;
  }
  return { bytes: Buffer.concat(parts, Math.min(sizeBytes, mostBytes)), isWhole: sizeBytes <= mostBytes };
}
