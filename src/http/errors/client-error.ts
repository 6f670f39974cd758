import type { Socket } from 'node:net';

const STATUSES: Readonly<Record<string, { readonly line: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { line: '431 Request Header Fields Too Large', message: 'The headers are over 16 KiB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { line: '408 Request Timeout', message: 'The request did not arrive within a minute.' },
};
const MALFORMED = { line: '400 Bad Request', message: 'This is not an HTTP/1.1 request.' };

/** Answers bytes on the port that are no HTTP request. No route is known yet, so the answer has the shape of `operations`. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { line, message } = STATUSES[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ code: 'MALFORMED_REQUEST', message });
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
