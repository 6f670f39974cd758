// Agents of Node's HTTP clients, whose sockets all lead to a checked address or through the connection's proxy.
import { Agent, type ClientRequestArgs } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as secure } from 'node:tls';
import type { NetworkRules } from '../../src/warehouse/index.ts';
import { reach } from './reach.ts';
import type { Target } from './resolve-host.ts';
import { timeoutError } from './timeout-error.ts';

export interface Agents {
  readonly http: Agent;
  readonly https: TlsAgent;
  /** Returns the agent for the scheme of a URL. */
  of(url: URL): Agent;
  /** Closes all sockets. */
  close(): void;
}

/** Time for one address, for the proxy, and for the handshake of TLS. */
const CONNECT_MS = 8000;

type Done = (failure: Error | null, socket?: Socket) => void;
type Asked = ClientRequestArgs & ConnectionOptions;

export function createAgents(network: NetworkRules, madeBy: Pick<Target, 'madeBy'> = {}): Agents {
  const [http, https] = [new Agent({ keepAlive: true }), new TlsAgent({ keepAlive: true })];
  const open = async (asked: Asked, scheme: 'http' | 'https') => {
    const host = asked.host?.replace(/^\[|\]$/g, '') ?? '';
    const target = { host, port: Number(asked.port), scheme, ...madeBy };
    const socket = await reach(target, network, { limitMs: CONNECT_MS });
    return scheme === 'http' ? socket : await encrypt(socket, host, asked);
  };
  openBy<Asked>(http, (asked) => open(asked, 'http'));
  openBy<Asked>(https, (asked) => open(asked, 'https'));
  return {
    ...{ http, https },
    of: ({ protocol }) => (protocol === 'http:' ? http : https),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

/**
 * Has an agent open its sockets by `open`. A socket that opens after the agent was closed is closed at once, because nobody
 * would close the agent again.
 */
export function openBy<Options>(agent: Agent, open: (options: Options) => Promise<Socket>): void {
  const destroy = agent.destroy.bind(agent);
  let isClosed = false;
  const createConnection = (options: Options, done: Done) => {
    open(options).then(
      (socket) => {
        if (!isClosed) return done(null, socket);
        socket.destroy();
        done(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }));
      },
      (failure: Error) => done(failure),
    );
  };
  Object.assign(agent, {
    createConnection,
    destroy() {
      isClosed = true;
      destroy();
    },
  });
}

/** Begins TLS on an open socket, as the server of that name. */
export function encrypt(socket: Socket, host: string, options: ConnectionOptions = {}): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { path: _, host: __, port: ___, ...rest } = options;
    const servername = isIP(host) === 0 ? host.replace(/\.$/, '') : '';
    const encrypted = secure({ ...rest, socket, host, servername });
    const fail = (failure: Error) => {
      encrypted.destroy();
      reject(failure);
    };
    encrypted.setTimeout(CONNECT_MS, () => fail(timeoutError(`No TLS within ${CONNECT_MS / 1000} s`)));
    encrypted.once('error', fail);
    encrypted.once('secureConnect', () => {
      encrypted.off('error', fail);
      encrypted.setTimeout(0);
      resolve(encrypted);
    });
  });
}
