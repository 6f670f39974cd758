// An HTTP proxy that opens tunnels, and the only one who knows where its names lead.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
  /** `host:port` of every tunnel that was asked for. */
  readonly asked: readonly string[];
}

interface ProxyOptions {
  /** Ports of this machine by the names that lead there. */
  readonly names?: Readonly<Record<string, number>>;
  /** `user:password` that must be given. */
  readonly signIn?: string;
  /** Never answers. */
  readonly isSilent?: boolean;
}

export async function openConnectProxy({ names = {}, signIn, isSilent = false }: ProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    asked.push(request.url ?? '');
    socket.on('error', () => socket.destroy());
    if (isSilent) return;
    const refusal = refusalOf(request, names, signIn);
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
    const there = connect({ host: '127.0.0.1', port: names[hostOf(request)] ?? 0 });
    sockets.add(there);
    there.on('error', () => socket.destroy());
    there.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(there).pipe(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function refusalOf(
  request: IncomingMessage,
  names: Readonly<Record<string, number>>,
  signIn: string | undefined,
): string | undefined {
  const wanted = signIn && `Basic ${Buffer.from(signIn).toString('base64')}`;
  if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted)
    return '407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="out"';
  if (hostOf(request) === 'forbidden.test') return '403 Forbidden';
  return names[hostOf(request)] === undefined ? '502 Bad Gateway' : undefined;
}

function hostOf({ url = '' }: IncomingMessage): string {
  return url.replace(/:\d+$/, '');
}
