// A TLS proxy before a PostgreSQL without TLS: together they are a server that accepts TLS only.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './localhost-certificate.ts';

const SSL_REQUEST = '0000000804d2162f';

export interface TlsProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that were encrypted, and those that were not and were closed. */
  readonly seen: { encrypted: number; plain: number };
}

export async function openTlsProxy(target: { readonly host: string; readonly port: number }): Promise<TlsProxy> {
  const seen = { encrypted: 0, plain: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (first) => {
      if (first.toString('hex') !== SSL_REQUEST) {
        seen.plain += 1;
        return socket.destroy();
      }
      seen.encrypted += 1;
      socket.write('S');
      return pass(new TLSSocket(socket, { isServer: true, cert: CERTIFICATE, key: CERTIFICATE_KEY }), connect(target));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function pass(client: Socket, upstream: Socket): void {
  for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
  client.pipe(upstream).pipe(client);
}
