// Every socket that the SDK opens (statements, tokens, redirects) passes here: it leads to an address that was checked.
import type { EventEmitter } from 'node:events';
import type { Agent } from 'node:http';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';

/** Two addresses of a host are tried within the time that a call of the API waits. */
const CONNECT_MS = 8000;

/** What an agent of node:https has beyond the types of node:http's. */
interface Connecting {
  createConnection(
    options: ConnectionOptions & { readonly host?: string; readonly port?: number },
    done: (failure: Error | null, socket?: TLSSocket) => void,
  ): void;
}

/** Where sockets go in place of the vendor's hosts, if the operator says so. */
export function targetOf(host: string, port: number, { endpoints }: ConnectorEnvironment): Target {
  return endpoints.databricks ?? { host, port };
}

/** Takes over how the agent connects. */
export function guardAgent(agent: Agent, environment: ConnectorEnvironment): void {
  (agent as unknown as Connecting).createConnection = (options, done) => {
    const target = targetOf(options.host ?? '', Number(options.port), environment);
    dial(target, options, environment).then(
      (socket) => {
        failWithSocket(socket);
        done(null, socket);
      },
      (failure) => done(failure as Error),
    );
  };
}

/** The request that a socket works on, and its answer: Node's own, which its types do not tell. */
interface Working {
  readonly _httpMessage?: (EventEmitter & { readonly res?: { readonly complete: boolean } }) | null;
}

/** Where a connection ends in the middle of an answer, the SDK's fetch waits for the rest for ever: it is told. */
function failWithSocket(socket: TLSSocket): void {
  socket.once('close', () => {
    const { _httpMessage: request } = socket as Working;
    if (request?.res?.complete !== false) return;
    request.emit('error', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  });
}

/** A TLS connection to the first address that takes it. */
export async function dial(
  target: Target,
  options: ConnectionOptions,
  environment: Pick<ConnectorEnvironment, 'network' | 'endpoints'>,
): Promise<TLSSocket> {
  const { ca } = environment.endpoints.databricks ?? {};
  let failure: unknown;
  for (const address of await resolveHost(target, environment.network)) {
    try {
      return await dialAddress(address, {
        ...options,
        ...(ca === undefined ? {} : { ca }),
        port: target.port,
        servername: isIP(target.host) === 0 ? target.host.replace(/\.$/, '') : '',
      });
    } catch (refused) {
      failure = refused;
    }
  }
  throw failure;
}

function dialAddress(address: string, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // what the agent found for the name is not asked again
    const { path: _, lookup: __, ...rest } = options;
    const socket = connect({ ...rest, host: address });
    const fail = (failure: Error) => {
      socket.destroy();
      reject(failure);
    };
    socket.setTimeout(CONNECT_MS, () =>
      fail(Object.assign(new Error(`No connection within ${CONNECT_MS / 1000} s`), { code: 'ETIMEDOUT' })),
    );
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}
