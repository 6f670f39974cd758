// A TCP proxy that can lose all its connections and refuse new ones: as a restarting store does.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LossyProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that clients have open. */
  connections(): number;
  /** Drops every connection, and every new one until `repair`. */
  cut(): void;
  repair(): void;
}

export async function openLossyProxy(target: { readonly host: string; readonly port: number }): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let isCut = false;
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const dropAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const server = createServer((client) => {
    track(client);
    if (isCut) return client.resetAndDestroy();
    clients.add(client);
    client.on('close', () => clients.delete(client));
    const upstream = connect(target);
    track(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    return client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => clients.size,
    cut() {
      isCut = true;
      dropAll();
    },
    repair() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      dropAll();
      server.close();
      await once(server, 'close');
    },
  };
}
