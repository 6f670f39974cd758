// Fields of an SSH tunnel to the database.
import Type from 'typebox';
import { isHost } from '../../_shared/host-name.ts';

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=?$/;
const PRIVATE_KEY = /^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;

interface TextRule {
  readonly maxLength: number;
  readonly accepts: (value: string) => boolean;
  readonly message: string;
}

function text(description: string, { maxLength, accepts, message }: TextRule) {
  return Type.Optional(
    Type.Refine(
      Type.String({ minLength: 1, maxLength, description }),
      (value) => accepts(value),
      () => message,
    ),
  );
}

const hasNoZero = (value: string) => !value.includes('\0');

const plain = (maxLength: number): TextRule => ({ maxLength, accepts: hasNoZero, message: 'must not contain U+0000' });

export const tunnelFields = {
  ssh_host: text('SSH server through which the database is reached. That server looks `host` up.', {
    maxLength: 253,
    accepts: isHost,
    message: 'must be a host name or an address, without scheme, port or user',
  }),
  ssh_port: text('Port of the SSH server. Default: 22.', {
    maxLength: 5,
    accepts: (value) => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535,
    message: 'must be a port from 1 to 65535, in quotes',
  }),
  ssh_user: text('User of the SSH server.', plain(255)),
  ssh_host_key: text(
    'Fingerprint of the SSH server’s host key, as `ssh-keygen -lf` prints it. No other key is accepted.',
    {
      maxLength: 60,
      accepts: (value) => FINGERPRINT.test(value),
      message: 'must be a fingerprint of the form SHA256:… with 43 characters, as ssh-keygen -lf prints it',
    },
  ),
  ssh_password: text('Password of `ssh_user`. It is encrypted in the store.', plain(1024)),
  ssh_private_key: text('Private key of `ssh_user`, as OpenSSH writes it or in PEM. It is encrypted in the store.', {
    maxLength: 20_000,
    accepts: (value) => PRIVATE_KEY.test(value),
    message: 'must be a private key, beginning with -----BEGIN OPENSSH PRIVATE KEY----- or the like',
  }),
  ssh_private_key_passphrase: text('Passphrase of `ssh_private_key`. It is encrypted in the store.', plain(1024)),
};

type Given = Readonly<Record<string, unknown>>;

/** Returns what is wrong with the fields together, or undefined. */
export function tunnelComplaint(config: Given): string | undefined {
  const given = Object.keys(tunnelFields).filter((name) => config[name] !== undefined);
  if (given.length === 0) return undefined;
  const missing = ['ssh_host', 'ssh_user', 'ssh_host_key'].filter((name) => config[name] === undefined);
  if (missing.length > 0) return `lacks ${missing.join(' and ')} beside ${given.join(', ')}`;
  if ((config.ssh_password === undefined) === (config.ssh_private_key === undefined))
    return 'needs either ssh_password or ssh_private_key to sign in to the SSH server';
  return config.ssh_private_key_passphrase !== undefined && config.ssh_private_key === undefined
    ? 'has ssh_private_key_passphrase without ssh_private_key'
    : undefined;
}
