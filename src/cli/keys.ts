import type { Register } from './command.ts';

const HELP = `
To change the key that encrypts stored secrets: put a new one in front of PENSTOCK_ENCRYPTION_KEYS, restart every daemon,
run \`penstock keys re-encrypt\`, then take the old one away. docs/keys.md says more.`;

const REENCRYPT_HELP = `
Covers everything that the store keeps encrypted: secrets of connections, also in the snapshots of their runs, keys that
pipelines name feeds by, input credentials and feeds, signing keys, data subject requests, what is forwarded to partners
and how, and their certificates. Shows how many rows of each table it wrote. Daemons may work meanwhile; a command that was
stopped is run again and goes on with what is left. It fails when a row was written with a key that is not configured.`;

export const registerKeys: Register = (program, context) => {
  const load = () => import('./keys/keys.ts');
  const keys = program
    .command('keys')
    .description('rotate the keys of tokens and of stored secrets')
    .addHelpText('after', HELP);
  keys
    .command('rotate-signing')
    .description('sign tokens with a new key; existing tokens stay valid until they expire')
    .action(async () => (await load()).rotateSigning(context));
  keys
    .command('re-encrypt')
    .description('re-encrypt every stored secret with the first of PENSTOCK_ENCRYPTION_KEYS')
    .addHelpText('after', REENCRYPT_HELP)
    .action(async () => (await load()).reencrypt(context));
};
