import { reencryptSecrets, rotateSigningKey } from '../access/index.ts';
import type { Register } from './command.ts';
import { asOperator } from './operator.ts';

const HELP = `
To change the key that encrypts stored secrets: put a new one in front of PENSTOCK_ENCRYPTION_KEYS, restart every daemon,
run \`penstock keys re-encrypt\`, then take the old one away.`;

export const registerKeys: Register = (program, context) => {
  const keys = program
    .command('keys')
    .description('rotate the keys of tokens and of stored secrets')
    .addHelpText('after', HELP);
  keys
    .command('rotate-signing')
    .description('sign tokens with a new key; tokens of the old one stay valid until they expire')
    .action(async () => {
      await asOperator(context, (operator) => rotateSigningKey(operator));
      context.output().line('New tokens are signed with a new key.');
    });
  keys
    .command('re-encrypt')
    .description('write every stored secret anew with the first of PENSTOCK_ENCRYPTION_KEYS')
    .action(async () => {
      const done = await asOperator(context, (operator) => reencryptSecrets(operator));
      context.output().object({ input_credentials: done.inputCredentials, signing_keys: done.signingKeys });
    });
};
