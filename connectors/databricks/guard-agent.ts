// The guard of every socket that the SDK opens (statements, tokens, redirects): each leads to an address that was checked.
import { EventEmitter } from 'node:events';
import type { Agent } from 'node:http';
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { openBy } from '../_shared/agents.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { reachThrough } from '../_shared/reach.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';
import { timeoutError } from '../_shared/timeout-error.ts';

/** Time for one address; two addresses of a host fit within the wait of an API call. */
const CONNECT_MS = 8000;

type Asked = ConnectionOptions & { readonly host?: string; readonly port?: number };

/** Returns the target of sockets: the operator's server where one is set, else the vendor's host. */
export function targetOf(host: string, port: number, { endpoints }: ConnectorEnvironment): Target {
  return { host, port, ...endpoints.databricks, scheme: 'https' };
}

/** Replaces the way in which the agent connects. */
export function guardAgent(agent: Agent, environment: ConnectorEnvironment): void {
  openBy<Asked>(agent, async (asked) => {
    const socket = await dial(targetOf(asked.host ?? '', Number(asked.port), environment), asked, environment);
    failWithSocket(socket);
    return socket;
  });
}

/** Fails the request where its connection ends in the middle of an answer; the SDK's fetch would wait for the rest for ever. */
function failWithSocket(socket: TLSSocket): void {
  socket.once('close', () => {
    // the request that the socket works on, in a field of Node's own that its types leave out
    const request = fieldOf(socket, '_httpMessage');
    if (!(request instanceof EventEmitter) || fieldOf(fieldOf(request, 'res'), 'complete') !== false) return;
    request.emit('error', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  });
}

/** Opens a TLS connection to the first address that accepts one, or through the proxy. */
export async function dial(
  target: Target,
  options: ConnectionOptions,
  environment: Pick<ConnectorEnvironment, 'network' | 'endpoints'>,
): Promise<TLSSocket> {
  const { ca } = environment.endpoints.databricks ?? {};
  // drops the agent's own lookup, so that the name is not resolved again
  const { path: _, lookup: __, ...asked } = options;
  const secured = {
    ...asked,
    ...(ca === undefined ? {} : { ca }),
    port: target.port,
    servername: isIP(target.host) === 0 ? target.host.replace(/\.$/, '') : '',
  };
  const addresses = await resolveHost(target, environment.network);
  const proxy = environment.network.proxyOf?.(target);
  if (proxy !== undefined) {
    const socket = await reachThrough(proxy, target, { limitMs: CONNECT_MS });
    return await dialAddress({ ...secured, socket });
  }
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await dialAddress({ ...secured, host: address });
    } catch (refused) {
      failure = refused;
    }
  }
  throw failure;
}

function dialAddress(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    const fail = (failure: Error) => {
      socket.destroy();
      reject(failure);
    };
    socket.setTimeout(CONNECT_MS, () => fail(timeoutError(`No connection within ${CONNECT_MS / 1000} s`)));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      socket.off('error', fail);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}
