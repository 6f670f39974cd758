import type { Register } from './command.ts';

const HELP = `
To change the key that encrypts stored secrets: put a new one in front of PENSTOCK_ENCRYPTION_KEYS, restart every daemon,
run \`penstock keys re-encrypt\`, then take the old one away.`;

export const registerKeys: Register = (program, context) => {
  const load = () => import('./keys/keys.ts');
  const keys = program
    .command('keys')
    .description('rotate the keys of tokens and of stored secrets')
    .addHelpText('after', HELP);
  keys
    .command('rotate-signing')
    .description('sign tokens with a new key; tokens of the old one stay valid until they expire')
    .action(async () => (await load()).rotateSigning(context));
  keys
    .command('re-encrypt')
    .description('write every stored secret anew with the first of PENSTOCK_ENCRYPTION_KEYS')
    .action(async () => (await load()).reencrypt(context));
};
