// A server that speaks PostgreSQL's protocol by a script, for answers that no real server here gives.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface FakePostgres extends AsyncDisposable {
  readonly port: number;
  /** What clients sent after they had signed in: `Q SELECT 1`, `P …` with its text, `B 2` with its values, `E 5` with its limit. */
  readonly received: string[];
}

/** Answers one message; the bytes are sent as they are. */
export type Behave = (message: FrontendMessage, socket: Socket) => readonly Buffer[];

export interface FrontendMessage {
  /** `startup`, or the letter of the message. */
  readonly type: string;
  /** SQL of Q and P; the password of p; user, database and their values of startup. */
  readonly text: string;
  /** Number of values of B, limit of rows of E. */
  readonly count: number;
}

export async function openFakePostgres(behave: Behave): Promise<FakePostgres> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    const read = reader();
    socket.on('data', (bytes) => {
      for (const message of read(bytes)) {
        if (message.type !== 'startup') received.push(`${message.type} ${message.text || message.count}`.trim());
        for (const answer of behave(message, socket)) socket.write(answer);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function reader(): (bytes: Buffer) => FrontendMessage[] {
  let rest = Buffer.alloc(0);
  let hasStarted = false;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const found: FrontendMessage[] = [];
    for (let end = endOf(rest, hasStarted); end <= rest.length; end = endOf(rest, hasStarted)) {
      const type = hasStarted ? rest.toString('latin1', 0, 1) : 'startup';
      found.push({ type, ...contentOf(type, rest.subarray(hasStarted ? 5 : 4, end)) });
      hasStarted = true;
      rest = rest.subarray(end);
    }
    return found;
  };
}

/** Where the first message ends; the very first of a connection has no letter. */
function endOf(bytes: Buffer, hasLetter: boolean): number {
  const header = hasLetter ? 1 : 0;
  return bytes.length < header + 4 ? Number.POSITIVE_INFINITY : header + bytes.readUInt32BE(header);
}

function contentOf(type: string, body: Buffer): Pick<FrontendMessage, 'text' | 'count'> {
  const [first = '', second = ''] = body.toString('utf8').split('\0');
  const after = Buffer.byteLength(first) + 1;
  if (type === 'Q') return { text: first, count: 0 };
  if (type === 'P') return { text: second, count: 0 };
  if (type === 'startup') return { text: body.subarray(4).toString('utf8').replaceAll('\0', ' ').trim(), count: 0 };
  if (type === 'p') return { text: first, count: 0 };
  if (type === 'E') return { text: '', count: body.readUInt32BE(after) };
  if (type !== 'B') return { text: '', count: 0 };
  const formats = after + Buffer.byteLength(second) + 1;
  return { text: '', count: body.readUInt16BE(formats + 2 + 2 * body.readUInt16BE(formats)) };
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type, 'latin1'), int32(body.length + 4), body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

export interface FakeColumn {
  readonly name: string;
  readonly type: number;
  /** Length of the type; default: none. */
  readonly modifier?: number;
}

/** Messages of a server. */
export const says = {
  authentication: (code: number, ...more: readonly Buffer[]) => message('R', int32(code), ...more),
  keys: () => message('K', int32(7), int32(8)),
  ready: () => message('Z', Buffer.from('T')),
  parsed: () => message('1'),
  bound: () => message('2'),
  noData: () => message('n'),
  parameters: () => message('t', int16(0)),
  complete: (tag: string) => message('C', text(tag)),
  columns: (columns: readonly FakeColumn[]) =>
    message(
      'T',
      int16(columns.length),
      ...columns.flatMap(({ name, type, modifier = -1 }) => [
        text(name),
        int32(0),
        int16(0),
        int32(type),
        int16(-1),
        int32(modifier),
        int16(0),
      ]),
    ),
  row: (cells: readonly (string | null)[]) =>
    message(
      'D',
      int16(cells.length),
      ...cells.flatMap((cell) => (cell === null ? [int32(-1)] : [int32(Buffer.byteLength(cell)), Buffer.from(cell)])),
    ),
  /** A row of five cells that holds none. */
  brokenRow: () => message('D', int16(5)),
  error: (code: string, said: string) => errorOf({ S: 'ERROR', C: code, M: said }),
  errorOf,
};

/** Builds an ErrorResponse of these fields, by letter. */
function errorOf(fields: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(fields).map(([letter, value]) => text(`${letter}${value}`));
  return message('E', ...texts, Buffer.from([0]));
}
