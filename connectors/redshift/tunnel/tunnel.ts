// A stream to the database through an SSH server, whose host key is pinned. Each connection has an SSH connection of its own.
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Client, ClientChannel, ConnectConfig } from 'ssh2';
import { AppError, field, say, systemClock } from '../../../src/kernel/index.ts';
import { cutText } from '../../_shared/classifier.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import type { Target } from '../../_shared/resolve-host.ts';
import { ignoreHostKeys, limitWaiting } from './limit-server.ts';

/** The part of the SDK that a tunnel needs. */
export type LoadSsh = () => Promise<{ readonly Client: new () => Client }>;

export interface SshLogin {
  /** Checked address of the SSH server. */
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Fingerprint, such as `SHA256:…`. */
  readonly hostKey: string;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** Time for the sign-in, and then for the SSH server to reach the database. */
const READY_MS = 8000;
const KEEP_ALIVE_MS = 10_000;
/** Least size of packets that a server may ask for. The SDK writes to a channel with packets of 0 bytes for ever. */
const LEAST_PACKET_BYTES = 1024;

const [PROHIBITED, NOT_CONNECTED] = [1, 2];

/** Opens a stream to `target`. Throws AppError. An abort closes the SSH connection. */
export async function openTunnel(
  load: LoadSsh,
  { login, target }: { readonly login: SshLogin; readonly target: Target },
  signal?: AbortSignal,
): Promise<Duplex> {
  const client = new (await load()).Client();
  // the checked address and not the name, which may lead elsewhere a moment later
  const tcp = connect({ host: login.address, port: login.port });
  // an error without a listener ends the process, and the SDK adds none where it cannot read the key
  tcp.on('error', () => undefined);
  const settled = new AbortController();
  let [seen, channel]: [string, ClientChannel | undefined] = ['', undefined];
  const opened = new Promise<ClientChannel>((resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('The SSH server closed the connection')));
    client.once('ready', () => {
      client.forwardOut('127.0.0.1', 0, target.host, target.port, (failure, found) => {
        if (failure !== undefined) return reject(failure);
        found.on('error', reject);
        resolve(found);
      });
      systemClock.sleep(READY_MS, settled.signal).then(
        () => reject(Object.assign(new Error(`no answer within ${READY_MS / 1000} s`), { reason: NOT_CONNECTED })),
        () => undefined,
      );
    });
    const abort = () => reject(new Error('The attempt was cancelled'));
    signal?.addEventListener('abort', abort, { once: true, signal: settled.signal });
    limitWaiting(tcp, () => channel?.readableLength ?? 0);
    const verify = (key: Buffer) => {
      seen = fingerprintOf(key);
      return seen === login.hostKey.replace(/=$/, '');
    };
    client.connect({ ...optionsOf(login), sock: tcp, hostVerifier: verify });
    ignoreHostKeys(client, tcp);
    if (signal?.aborted) abort();
  });
  try {
    channel = await opened;
    // closed in the same moment in which the channel was opened, so that nobody heard of it
    if (tcp.destroyed) throw tcp.errored ?? new Error('The SSH server closed the connection');
    requirePackets(channel);
    return socketOf({ client, tcp, channel });
  } catch (failure) {
    tcp.destroy();
    throw faultOf(failure, { login, target, seen });
  } finally {
    settled.abort();
  }
}

function optionsOf(login: SshLogin): ConnectConfig {
  return {
    username: login.user,
    ...(login.password === undefined ? {} : { password: login.password }),
    ...(login.privateKey === undefined ? {} : { privateKey: login.privateKey }),
    ...(login.passphrase === undefined ? {} : { passphrase: login.passphrase }),
    readyTimeout: READY_MS,
    keepaliveInterval: KEEP_ALIVE_MS,
    // a small packet could unpack to many megabytes
    algorithms: { compress: ['none'] },
  };
}

function requirePackets(channel: ClientChannel): void {
  // the size is in a field of the SDK's own that its types leave out
  const size = Number(fieldOf(fieldOf(channel, 'outgoing'), 'packetSize'));
  if (size >= LEAST_PACKET_BYTES) return;
  throw new Error(`It asks for packets of at most ${size} bytes, of which no connection can be made`);
}

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`;
}

interface Opened {
  readonly client: Client;
  readonly tcp: Socket;
  readonly channel: ClientChannel;
}

/** Returns the channel as a socket, as far as the driver uses one. Its end is the end of the SSH connection. */
function socketOf({ client, tcp, channel }: Opened): Duplex {
  const socket = new Duplex({
    read: () => void channel.resume(),
    write(bytes, _, done) {
      // the channel knows its own window alone, which a server may open without reading anything
      channel.write(bytes, () => void (tcp.writableNeedDrain ? tcp.once('drain', () => done()) : done()));
    },
    final(done) {
      channel.end();
      done();
    },
    destroy(failure, done) {
      // the SDK's own method leaves a socket open whose other side was asked to end
      tcp.destroy();
      // the driver takes the end of this stream for the failure, unless that of TLS above it comes first
      setImmediate(done, failure);
    },
  });
  channel.on('data', (bytes: Buffer) => {
    if (!socket.push(bytes)) channel.pause();
  });
  channel.on('end', () => void socket.push(null));
  channel.on('error', (failure: Error) => void socket.destroy(failure));
  channel.on('close', () => void socket.destroy());
  client.on('error', (failure) => void socket.destroy(failure));
  client.on('close', () => void socket.destroy());
  const same = () => socket;
  return Object.assign(socket, {
    setNoDelay: same,
    setKeepAlive: same,
    ref: same,
    unref: same,
    connect() {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    },
  });
}

interface Attempt {
  readonly login: SshLogin;
  readonly target: Target;
  /** Fingerprint of the server's key; empty where it showed none. */
  readonly seen: string;
}

function faultOf(cause: unknown, { login, target, seen }: Attempt): AppError {
  const said = cutText(cause instanceof Error ? cause.message : String(cause));
  if (seen !== '' && seen !== login.hostKey.replace(/=$/, '')) {
    const words = say`The SSH server has the host key ${seen}, which is not ${field('config.ssh_host_key')}. If its administrator confirms the new key, save it.`;
    return new AppError('WAREHOUSE_CONFIG', words, { cause });
  }
  if (fieldOf(cause, 'level') === 'client-authentication' || said.startsWith('Cannot parse privateKey')) {
    const words = say`The SSH server: ${said}. Check ${field('config.ssh_user')} and ${field('config.ssh_private_key')} or ${field('config.ssh_password')}.`;
    return new AppError('WAREHOUSE_CREDENTIALS', words, { cause });
  }
  const reason = fieldOf(cause, 'reason');
  if (reason === PROHIBITED) {
    const words = say`The SSH server does not forward connections to ${target.host}:${target.port} (${said}). Allow it by AllowTcpForwarding and PermitOpen.`;
    return new AppError('WAREHOUSE_CONFIG', words, { cause });
  }
  if (reason === NOT_CONNECTED) {
    const words = say`The SSH server cannot reach ${target.host}:${target.port} (${said}). Check ${field('config.host')} and ${field('config.port')}.`;
    return new AppError('WAREHOUSE_UNREACHABLE', words, { cause });
  }
  const words = say`The SSH server: ${said}. Check ${field('config.ssh_host')} and ${field('config.ssh_port')}.`;
  return new AppError('WAREHOUSE_UNREACHABLE', words, { cause });
}
