// OpenSSH's own server, out of Debian's package, for tunnels. It runs as a user without rights, whom alone it signs in, by key.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { until } from '../clocks/until.ts';
import { ensureInstalled, type Installation } from './install.ts';

const run = promisify(execFile);
const NOBODY = { uid: 65_534, gid: 65_534 };

const OPENSSH: Installation = {
  key: `openssh-server-debian-${process.arch}`,
  proof: join('root', 'usr', 'sbin', 'sshd'),
  async build({ folder, run: build }) {
    await build('apt-get', ['download', 'openssh-server', 'libwrap0'], { cwd: folder });
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb')))
      await build('dpkg', ['-x', join(folder, file), join(folder, 'root')]);
  },
};

export interface Sshd extends AsyncDisposable {
  readonly port: number;
  readonly user: string;
  /** Fingerprint of the host key. */
  readonly hostKey: string;
  /** Private key that signs the user in. */
  readonly privateKey: string;
  /** Returns the log of the server. */
  log(): Promise<string>;
}

/** Starts a server with these further lines of its configuration. */
export async function openSshd(lines: readonly string[] = []): Promise<Sshd> {
  const installed = await ensureInstalled(OPENSSH, { say: () => undefined, signal: new AbortController().signal });
  const isRoot = process.getuid?.() === 0;
  const folder = await mkdtemp(join(tmpdir(), 'penstock-sshd-'));
  await run('cp', ['-r', join(installed, 'root'), folder]);
  for (const name of ['host', 'user'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  const [port, privateKey] = [await chooseFreePort(), await readFile(join(folder, 'user'), 'utf8')];
  const { stdout: fingerprint } = await run('ssh-keygen', ['-lf', join(folder, 'host.pub')]);
  await writeFile(join(folder, 'conf'), configuration(folder, port, lines));
  await chmod(folder, 0o755);
  if (isRoot) for (const name of ['host', 'user.pub']) await chown(join(folder, name), NOBODY.uid, NOBODY.gid);
  const libraries = (await readdir(join(folder, 'root/usr/lib'))).map((name) => join(folder, 'root/usr/lib', name));
  const child = spawn(join(folder, 'root/usr/sbin/sshd'), ['-D', '-e', '-f', join(folder, 'conf')], {
    ...(isRoot ? NOBODY : {}),
    env: { LD_LIBRARY_PATH: libraries.join(':'), PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (text) => {
    log += String(text);
  });
  await until(() => answers(port));
  return {
    ...{ port, privateKey, user: isRoot ? 'nobody' : userInfo().username, log: async () => log },
    hostKey: /SHA256:\S+/.exec(fingerprint)?.[0] ?? '',
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, lines: readonly string[]): string {
  const fixed = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${folder}/host`, `AuthorizedKeysFile ${folder}/user.pub`],
    // without PAM a user without a password counts as locked
    ...['StrictModes no', 'PidFile none', 'UsePAM yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
  ];
  return `${[...lines, ...fixed].join('\n')}\n`;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
