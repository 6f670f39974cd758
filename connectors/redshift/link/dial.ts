// A socket of our own beside the driver's, to cancel the work of its connection, and to see how far a probe gets.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { systemClock } from '../../../src/kernel/index.ts';
import { NO_TLS, type Tls } from './tls.ts';

export interface Door {
  readonly address: string;
  readonly port: number;
  /** Opens a stream to the server where it is reached through an SSH server. */
  readonly tunnel?: OpenTunnel | undefined;
  readonly tls: Tls;
}

export type OpenTunnel = (signal?: AbortSignal) => Promise<Duplex>;

const DIAL_MS = 5000;
/** Messages without a type: length, then a code that is no version of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const CANCEL_REQUEST = Buffer.from([0, 0, 0, 16, 4, 210, 22, 46]);

/** Opens a socket, with TLS where the door has it. Gives up after five seconds and on an abort. */
export async function dial({ address, port, tls, tunnel }: Door, signal?: AbortSignal): Promise<Duplex> {
  const socket = tunnel === undefined ? connect({ host: address, port }) : await tunnel(signal);
  // the awaiting caller gets the failure; a socket without a listener would end the process
  socket.on('error', () => undefined);
  return await within(socket, signal, async () => {
    if (tunnel === undefined) await once(socket, 'connect');
    if (tls === undefined) return socket;
    socket.write(SSL_REQUEST);
    const [answer]: readonly unknown[] = await once(socket, 'data');
    if (String(answer) !== 'S') throw new Error(NO_TLS);
    const encrypted = secure({ ...tls, socket, host: address });
    encrypted.on('error', () => undefined);
    await once(encrypted, 'secureConnect');
    return encrypted;
  });
}

async function within(socket: Duplex, signal: AbortSignal | undefined, work: () => Promise<Duplex>): Promise<Duplex> {
  const settled = new AbortController();
  const close = (reason: string, code: string) => socket.destroy(Object.assign(new Error(reason), { code }));
  const abort = () => close('The attempt was cancelled', 'ECONNABORTED');
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true, signal: settled.signal });
  const timer = systemClock.sleep(DIAL_MS, settled.signal).then(
    () => close(`No answer within ${DIAL_MS / 1000} seconds`, 'ETIMEDOUT'),
    () => undefined,
  );
  // a socket that closes without an error would never settle the wait
  const closed = once(socket, 'close', { signal: settled.signal }).then(() => {
    throw Object.assign(new Error('The server closed the connection'), { code: 'ECONNRESET' });
  });
  closed.catch(() => undefined);
  try {
    return await Promise.race([work(), closed]);
  } catch (failure) {
    socket.destroy();
    throw failure;
  } finally {
    settled.abort();
    await timer;
  }
}

/**
 * Asks the server to cancel the work of a connection. The server answers nothing here; the connection itself gets the error.
 */
export async function requestCancel(
  door: Door,
  { pid, key }: { readonly pid: number; readonly key: number },
): Promise<void> {
  const message = Buffer.alloc(16);
  CANCEL_REQUEST.copy(message);
  message.writeInt32BE(pid | 0, 8);
  message.writeInt32BE(key | 0, 12);
  const socket = await dial(door);
  socket.end(message);
  const ended = new AbortController();
  const { signal } = ended;
  await Promise.race([once(socket, 'close', { signal }), systemClock.sleep(DIAL_MS, signal)]).catch(() => undefined);
  ended.abort();
  socket.destroy();
}
