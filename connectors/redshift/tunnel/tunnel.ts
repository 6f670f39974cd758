// A stream to the database through an SSH server, whose host key is pinned. Each connection has an SSH connection of its own.
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { AppError, field, say } from '../../../src/kernel/index.ts';
import { cutText } from '../../_shared/classifier.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import type { Target } from '../../_shared/resolve-host.ts';

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

const READY_MS = 8000;
const KEEP_ALIVE_MS = 10_000;

/** Opens a stream to `target`. Throws AppError. An abort closes the SSH connection. */
export async function openTunnel(
  load: LoadSsh,
  { login, target }: { readonly login: SshLogin; readonly target: Target },
  signal?: AbortSignal,
): Promise<Duplex> {
  const client = new (await load()).Client();
  let seen = '';
  const opened = new Promise<ClientChannel>((resolve, reject) => {
    client.on('error', reject);
    client.on('close', () => reject(new Error('The SSH server closed the connection')));
    client.on('ready', () =>
      client.forwardOut('127.0.0.1', 0, target.host, target.port, (failure, channel) =>
        failure === undefined ? resolve(channel) : reject(failure),
      ),
    );
    signal?.addEventListener('abort', () => reject(new Error('The attempt was cancelled')), { once: true });
    client.connect({
      // the checked address and not the name, which may lead elsewhere a moment later
      sock: connect({ host: login.address, port: login.port }),
      username: login.user,
      ...(login.password === undefined ? {} : { password: login.password }),
      ...(login.privateKey === undefined ? {} : { privateKey: login.privateKey }),
      ...(login.passphrase === undefined ? {} : { passphrase: login.passphrase }),
      readyTimeout: READY_MS,
      keepaliveInterval: KEEP_ALIVE_MS,
      hostVerifier: (key: Buffer) => {
        seen = fingerprintOf(key);
        return seen === login.hostKey.replace(/=$/, '');
      },
    });
    if (signal?.aborted) reject(new Error('The attempt was cancelled'));
  });
  try {
    return socketOf(client, await opened);
  } catch (failure) {
    client.on('error', () => undefined);
    client.destroy();
    throw faultOf(failure, { login, target, seen });
  }
}

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`;
}

/** Returns the channel as a socket, as far as the driver uses one. Its end is the end of the SSH connection. */
function socketOf(client: Client, channel: ClientChannel): Duplex {
  const socket = new Duplex({
    read: () => void channel.resume(),
    write: (bytes, _, done) => void channel.write(bytes, done),
    final(done) {
      channel.end();
      done();
    },
    destroy(failure, done) {
      client.destroy();
      // the driver takes the end of this stream for the failure, unless that of TLS above it comes first
      setImmediate(done, failure);
    },
  });
  channel.on('data', (bytes: Buffer) => {
    if (!socket.push(bytes)) channel.pause();
  });
  channel.on('end', () => void socket.push(null));
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

const [PROHIBITED, NOT_CONNECTED] = [1, 2];

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
