import type { Command } from 'commander';
import { readDuration, readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import type { InputOptions, PlatformOptions } from './credentials/create.ts';
import { type RightsOptions, readRole, readUses, readWorkspaces } from './credentials/rights.ts';

const HELP = `
Two kinds:
  platform  a client id and secret that get bearer tokens for the platform API, with role admin or read
  input     a key and secret with which data come in, for one or several uses:
              server             key and secret together; keep the secret on your servers
              dsr                key and secret together, for data subject requests: it reads and erases people
              web                the key alone, in the path of the web SDK's events
              identity_key_only  the key alone, in identity requests of the web SDK
              write_key          the key alone, as Segment's and RudderStack's SDKs send it
            A key with one of the last three uses is public: whoever has it can send data.

A secret is shown once, when it is created or rotated.`;

const load = () => import('./credentials/change.ts');

export const registerCredentials: Register = (program, context) => {
  const credentials = program
    .command('credentials')
    .description('list, create, rotate and revoke credentials')
    .addHelpText('after', HELP);
  credentials
    .command('list')
    .description('list platform and input credentials, without secrets')
    .action(async () => (await load()).listCredentials(context));
  registerCreate(
    credentials.command('create').description('create a credential; its secret is shown only once'),
    context,
  );
  credentials
    .command('rotate')
    .description('give a credential a new secret')
    .argument('<id>', 'client id or input key')
    .option('--grace <duration>', 'how long the old secret stays valid; use 0s if it leaked', readDuration)
    .action(async (id: string, options: { grace?: number }) =>
      (await load()).rotateCredential(context, id, options.grace),
    );
  credentials
    .command('revoke')
    .description('revoke a credential; its tokens stay valid for up to 8 hours')
    .argument('<id>', 'client id or input key')
    .action(async (id: string) => (await load()).revokeCredential(context, id));
  credentials
    .command('rights')
    .description('change role and workspaces of a platform credential; its tokens follow within seconds')
    .argument('<id>', 'client id')
    .requiredOption('--role <role>', 'admin or read', readRole)
    .requiredOption('--workspaces <ids>', 'all, none, or comma-separated ids', readWorkspaces)
    .action(async (id: string, rights: RightsOptions) => (await load()).changeRights(context, id, rights));
  credentials
    .command('uses')
    .description('set the uses of an input key; every daemon follows within seconds')
    .argument('<id>', 'input key')
    .requiredOption('--uses <uses>', 'comma-separated: server, dsr, web, identity_key_only, write_key', readUses)
    .action(async (id: string, { uses }: { uses: readonly string[] }) => (await load()).changeUses(context, id, uses));
};

function registerCreate(create: Command, context: CommandContext): void {
  const creating = () => import('./credentials/create.ts');
  create
    .command('platform')
    .description('create a client id and secret for the platform API')
    .argument('<name>')
    .option('--role <role>', 'admin or read', readRole, 'read')
    .option('--workspaces <ids>', 'all, or comma-separated ids', readWorkspaces, 'all')
    .option('--account <id>', 'id of the account; required if there are several', readId('--account'))
    .action(async (name: string, options: PlatformOptions) =>
      (await creating()).createPlatform(context, name, options),
    );
  create
    .command('input')
    .description('create a key and secret that send data to one workspace')
    .argument('<name>')
    .option('--workspace <id>', 'id of the workspace; required if there are several', readId('--workspace'))
    .option('--uses <uses>', 'comma-separated: server, dsr, web, identity_key_only, write_key', readUses, ['server'])
    .action(async (name: string, options: InputOptions) => (await creating()).createInput(context, name, options));
}
