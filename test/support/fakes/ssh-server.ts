// An SSH server that lets in everybody with its password, and forwards connections as a test says.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';

export const SSH_USER = 'tunnel';
export const SSH_PASSWORD = 's3cret of ssh';

/** One request of a client to be forwarded. */
export interface Forwarding {
  readonly host: string;
  readonly port: number;
  readonly client: Connection;
  readonly accept: () => ServerChannel;
  readonly reject: () => void;
}

export interface SshServer extends AsyncDisposable {
  readonly port: number;
  /** Fingerprint of its key. */
  readonly hostKey: string;
  /** Returns how many clients are connected. */
  clients(): number;
}

export async function openSshServer(forward: (asked: Forwarding) => void = forwardWell): Promise<SshServer> {
  const { private: hostKey, public: publicKey } = ssh2.utils.generateKeyPairSync('ed25519');
  const clients = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => void clients.delete(client));
    client.on('authentication', (attempt) => {
      if (attempt.method === 'password' && attempt.username === SSH_USER && attempt.password === SSH_PASSWORD)
        attempt.accept();
      else attempt.reject(['password']);
    });
    client.on('tcpip', (accept, reject, { destIP: host, destPort: port }) =>
      forward({ host, port, client, accept, reject }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bytes = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${createHash('sha256').update(bytes).digest('base64').replace(/=$/, '')}`,
    clients: () => clients.size,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.end();
      server.close();
    },
  };
}

function forwardWell({ host, port, accept, reject }: Forwarding): void {
  const socket = connect({ host, port });
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    const channel = accept();
    socket.on('error', () => channel.close());
    channel.pipe(socket).pipe(channel);
  });
}
