// SSH servers that break the protocol. A connection names its SSH server, so a tenant can run one.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { loadSsh } from '../../../connectors/redshift/session.ts';
import { openTunnel } from '../../../connectors/redshift/tunnel/tunnel.ts';
import { until } from '../../support/clocks/until.ts';
import {
  type Forwarding,
  openSshServer,
  SSH_PASSWORD,
  SSH_USER,
  type SshServer,
} from '../../support/fakes/ssh-server.ts';

const TARGET = { host: 'db.invalid', port: 5432 };

/** The server's own half of the protocol, in a field that the types of the SDK leave out. */
interface Wire {
  channelOpenConfirm(...numbers: readonly [recipient: number, sender: number, window: number, packet: number]): void;
  channelData(recipient: number, bytes: Buffer): void;
  readonly _packetRW: { readonly write: Packets };
  readonly _cipher: { encrypt(packet: Buffer): void };
}

interface Packets {
  readonly allocStart: number;
  alloc(bytes: number): Buffer;
  finalize(packet: Buffer): Buffer;
}

const wireOf = ({ client }: Forwarding): Wire => Reflect.get(client, '_protocol');

const GLOBAL_REQUEST = 80;

/** Announces a host key, as OpenSSH does after the sign-in. */
function announce({ _packetRW: { write }, _cipher: cipher }: Wire, publicKey: Buffer): void {
  const text = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
  const name = text(Buffer.from('hostkeys-00@openssh.com'));
  const said = Buffer.concat([Buffer.from([GLOBAL_REQUEST]), name, Buffer.from([0]), text(publicKey)]);
  const packet = write.alloc(said.length);
  said.copy(packet, write.allocStart);
  cipher.encrypt(write.finalize(packet));
}

/** Returns an ed25519 key as it travels. */
const someKey = () => Buffer.from(ssh2.utils.generateKeyPairSync('ed25519').public.split(' ')[1] ?? '', 'base64');

function tunnelTo({ port, hostKey }: Pick<SshServer, 'port' | 'hostKey'>, key: object = { password: SSH_PASSWORD }) {
  return openTunnel(loadSsh, {
    login: { address: '127.0.0.1', port, user: SSH_USER, hostKey, ...key },
    target: TARGET,
  });
}

describe('an SSH server', () => {
  it('that asks for packets of no bytes is written nothing, which would take for ever', async () => {
    await using server = await openSshServer((asked) => {
      const wire = wireOf(asked);
      const confirm = wire.channelOpenConfirm.bind(wire);
      wire.channelOpenConfirm = (recipient, sender, window) => confirm(recipient, sender, window, 0);
      asked.accept();
    });
    await expect(tunnelTo(server)).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringContaining('packets of at most 0 bytes'),
    });
    await until(() => server.clients() === 0);
  });

  it('that never says whether it reaches the database is left after some seconds', async () => {
    await using server = await openSshServer(() => undefined);
    await expect(tunnelTo(server)).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringMatching(/cannot reach db\.invalid:5432 \(no answer within 8 s\)/),
    });
    await until(() => server.clients() === 0);
  }, 30_000);

  it('that announces its other keys once serves all the same', async () => {
    await using server = await openSshServer((asked) => {
      announce(wireOf(asked), someKey());
      asked.accept().write('hello');
    });
    const stream = await tunnelTo(server);
    const [bytes]: readonly unknown[] = await once(stream, 'data');
    expect(String(bytes)).toBe('hello');
    stream.destroy();
    await until(() => server.clients() === 0);
  });

  it('that announces keys again and again is left, before they fill the memory', async () => {
    await using server = await openSshServer((asked) => {
      asked.accept();
      const key = someKey();
      for (let sent = 0; sent < 100; sent++) announce(wireOf(asked), key);
    });
    // the announcements may come together with the channel, or after it
    const failing = tunnelTo(server).then(async (stream) => {
      const [failure]: readonly unknown[] = await once(stream, 'error');
      throw failure;
    });
    await expect(failing).rejects.toThrow('announces host keys again and again');
    await until(() => server.clients() === 0);
  });

  it('that ignores the window of a channel is left, before its bytes fill the memory', async () => {
    await using server = await openSshServer((asked) => {
      const wire = wireOf(asked);
      const { outgoing } = asked.accept() as unknown as { readonly outgoing: { readonly id: number } };
      let left = 2000;
      const flood = () => {
        for (let sent = 0; sent < 50 && left > 0; sent++, left--) wire.channelData(outgoing.id, Buffer.alloc(32_000));
        if (left > 0 && server.clients() > 0) setImmediate(flood);
      };
      flood();
    });
    const stream = await tunnelTo(server);
    // nobody reads from it
    const [failure]: readonly unknown[] = await once(stream, 'error');
    expect(failure).toMatchObject({ message: expect.stringContaining('more than the window') });
    await until(() => server.clients() === 0);
  });

  it('is left at once by a key that cannot be read, whether or not it listens', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.resume().on('error', () => undefined)));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const login = { port, hostKey: `SHA256:${'A'.repeat(43)}` };
    const key = { privateKey: '-----BEGIN PRIVATE KEY-----\nx' };
    await expect(tunnelTo(login, key)).rejects.toMatchObject({ code: 'WAREHOUSE_CREDENTIALS' });
    await until(() => sockets.every(({ destroyed }) => destroyed));
    silent.close();
    await once(silent, 'close');
    // an error that nobody listens for would end the process
    await expect(tunnelTo(login, key)).rejects.toMatchObject({ code: 'WAREHOUSE_CREDENTIALS' });
  });
});
