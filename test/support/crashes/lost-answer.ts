// A TCP proxy before a PostgreSQL that drops the answer to one statement: the server executed it, the client never learns.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface LostAnswer extends AsyncDisposable {
  readonly port: number;
  /** How many answers were lost. */
  lost(): number;
}

/** Cuts the first connection that sends the statement, once the server has answered it. */
export async function openLostAnswer(
  target: { readonly host: string; readonly port: number },
  statement: string,
): Promise<LostAnswer> {
  const sockets = new Set<Socket>();
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    let isAsked = false;
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', cut);
    }
    client.on('data', (bytes) => {
      isAsked ||= lost === 0 && bytes.includes(`${statement}\0`);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!isAsked) return void client.write(bytes);
      lost += 1;
      return cut();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lost: () => lost,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
