// COPY … FROM STDIN of PostgreSQL in its text form: the fastest way in, and every type of a key parses its own text.
import type pg from 'pg';
import type { KeyCell } from '../../../src/warehouse/index.ts';
import type { Wire, WireQuery } from '../sdk.ts';
import { submit } from './wire-query.ts';

/** Characters of one message, and the most that may wait for the socket. */
const PART_CHARS = 64 * 1024;

/** Yields the rows as lines of COPY. */
export function* copyLines(rows: Iterable<readonly KeyCell[]>): Generator<string, void, undefined> {
  let part = '';
  for (const row of rows) {
    for (let index = 0; index < row.length; index++) {
      if (index > 0) part += '\t';
      part += copyField(row[index] ?? null);
    }
    part += '\n';
    if (part.length < PART_CHARS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function copyField(cell: KeyCell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'bigint') return String(cell);
  return cell.replace(SPECIAL, (sign) => ESCAPED[sign] ?? sign);
}

/** Sends the parts at the pace of the socket, and resolves when the server has taken all of them. */
export function runCopy(client: pg.Client, text: string, parts: Iterable<string>): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let isOver = false;
    const query: WireQuery = {
      submit: (wire) => wire.query(text),
      handleCopyInResponse: (wire) => void send(wire, parts, () => isOver),
      handleRowDescription: nothing,
      handleDataRow: nothing,
      handleCommandComplete: nothing,
      handlePortalSuspended: nothing,
      handleEmptyQuery: nothing,
      handleReadyForQuery: () => resolve(),
      handleError(failure) {
        isOver = true;
        reject(failure);
      },
    };
    submit(client, query);
  });
}

/** Sends the parts. A socket that closes fails the query, so nothing waits for the socket here. */
async function send(wire: Wire, parts: Iterable<string>, isOver: () => boolean): Promise<void> {
  for (const part of parts) {
    if (isOver()) return;
    const bytes = Buffer.from(part, 'utf8');
    await new Promise<void>((sent) => {
      wire.stream.once('close', sent);
      wire.stream.write(frame(bytes), () => {
        wire.stream.off('close', sent);
        sent();
      });
    });
  }
  if (!isOver()) wire.stream.write(COPY_DONE);
}

const COPY_DONE = Buffer.from('c\0\0\0\x04', 'latin1');

function frame(bytes: Buffer): Buffer {
  const message = Buffer.allocUnsafe(bytes.length + 5);
  message[0] = 0x64;
  message.writeInt32BE(bytes.length + 4, 1);
  bytes.copy(message, 5);
  return message;
}

function nothing(): void {
  // a COPY answers no rows
}
