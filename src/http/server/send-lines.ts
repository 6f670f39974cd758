import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { asAppError, type Log } from '../../kernel/index.ts';

/** JSON of one object a line. */
export const LINES_TYPE = 'application/x-ndjson; charset=utf-8';

/**
 * Sends text, or the bytes of a file, as it comes and asks for more only when the client has taken what there is. What goes wrong before the first
 * text is answered like any other error; afterwards the connection is broken off, so that nobody takes half for the whole.
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

/** Fastify tells nobody of an error that comes after the headers. */
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
