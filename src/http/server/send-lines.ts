import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { asAppError, type Log } from '../../kernel/index.ts';

/** Content type for JSON with one object on each line. */
export const LINES_TYPE = 'application/x-ndjson; charset=utf-8';

/**
 * Sends text, or the bytes of a file, as it comes, and asks for more only when the client has read the last part.
 * An error before the first part is answered like any other. A later one breaks the connection off, so that nobody takes half
 * for the whole.
 */
export function sendLines(reply: FastifyReply, lines: AsyncIterable<string | Uint8Array>, log: Log): FastifyReply {
  if (!reply.hasHeader('content-type')) reply.header('content-type', LINES_TYPE);
  const { id } = reply.request;
  return reply.send(
    Readable.from(
      watched(lines, () => reply.raw.headersSent, { log, id }),
      { objectMode: false },
    ),
  );
}

/** Logs an error that comes after the headers, which Fastify reports to nobody. */
async function* watched(
  lines: AsyncIterable<string | Uint8Array>,
  isUnderWay: () => boolean,
  { log, id }: { readonly log: Log; readonly id: string },
): AsyncGenerator<string | Uint8Array, void, undefined> {
  try {
    yield* lines;
  } catch (error) {
    if (isUnderWay()) log.error({ request_id: id, err: asAppError(error) }, 'http.broken_off');
    throw error;
  }
}
