import type { Command } from 'commander';
import { createInputCredential, createPlatformCredential } from '../access/index.ts';
import { readDuration, readId } from './arguments.ts';
import type { CommandContext, Register } from './command.ts';
import { changeRights, listCredentials, revokeCredential, rotateCredential } from './credentials-change.ts';
import { type RightsOptions, readRole, readWorkspaces } from './credentials-rights.ts';
import { theAccount, theWorkspace } from './defaults.ts';
import { asOperator } from './operator.ts';

const HELP = `
Two kinds:
  platform  a client id and secret that get bearer tokens for the platform API, with role admin or read
  input     a key and secret with which data come in

A secret is shown once, when it is made or rotated.`;

interface PlatformOptions extends RightsOptions {
  readonly account?: bigint;
}

export const registerCredentials: Register = (program, context) => {
  const credentials = program
    .command('credentials')
    .description('list, create, rotate and revoke credentials')
    .addHelpText('after', HELP);
  credentials
    .command('list')
    .description('platform and input credentials, without secrets')
    .action(() => listCredentials(context));
  registerCreate(
    credentials.command('create').description('make a credential; its secret is shown this once'),
    context,
  );
  credentials
    .command('rotate')
    .description('give a credential a new secret')
    .argument('<id>', 'client id or input key')
    .option('--grace <duration>', 'how long the old secret still works; 0s where it leaked', readDuration)
    .action((id: string, options: { grace?: number }) => rotateCredential(context, id, options.grace));
  credentials
    .command('revoke')
    .description('end a credential; tokens it was given live on for up to 8 hours')
    .argument('<id>', 'client id or input key')
    .action((id: string) => revokeCredential(context, id));
  credentials
    .command('rights')
    .description('give a platform credential another role and other workspaces; its tokens follow within seconds')
    .argument('<id>', 'client id')
    .requiredOption('--role <role>', 'admin or read', readRole)
    .requiredOption('--workspaces <ids>', 'all, none, or ids with commas', readWorkspaces)
    .action((id: string, rights: RightsOptions) => changeRights(context, id, rights));
};

function registerCreate(create: Command, context: CommandContext): void {
  create
    .command('platform')
    .argument('<name>')
    .option('--role <role>', 'admin or read', readRole, 'read')
    .option('--workspaces <ids>', 'all (the default), or ids with commas', readWorkspaces)
    .option('--account <id>', 'id of the account; needed where there are several', readId('--account'))
    .action((name: string, options: PlatformOptions) => createPlatform(context, name, options));
  create
    .command('input')
    .argument('<name>')
    .option('--workspace <id>', 'id of the workspace; needed where there are several', readId('--workspace'))
    .action((name: string, options: { workspace?: bigint }) => createInput(context, name, options.workspace));
}

async function createPlatform(context: CommandContext, name: string, options: PlatformOptions): Promise<void> {
  const { role, workspaces: workspaceIds } = options;
  const made = await asOperator(context, async (operator) => {
    const accountId = options.account ?? (await theAccount(operator.store));
    return createPlatformCredential(operator, { accountId, name, role, workspaceIds, actor: operator.actor });
  });
  context.output().object({ client_id: made.clientId, client_secret: made.clientSecret.reveal(), role });
}

async function createInput(context: CommandContext, name: string, workspace: bigint | undefined): Promise<void> {
  const made = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    return createInputCredential(operator, { workspaceId, name, actor: operator.actor });
  });
  context.output().object({ key: made.key, secret: made.secret.reveal() });
}
