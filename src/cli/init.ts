import type { Register } from './command.ts';
import type { InitOptions } from './init/make-first-workspace.ts';

const HELP = `
Makes organisation, account, workspace and an admin credential for the platform API, as far as they are missing, so it can be
run again. The client secret is shown only once. If you lost it: penstock credentials rotate CLIENT_ID

  penstock init
  penstock init --organisation Acme --account Acme --workspace Production`;

export const registerInit: Register = (program, context) => {
  program
    .command('init')
    .description('create the first workspace and its credentials')
    .option('--organisation <name>', 'name of the organisation', 'My organisation')
    .option('--account <name>', 'name of the account', 'My account')
    .option('--workspace <name>', 'name of the workspace', 'My workspace')
    .addHelpText('after', HELP)
    .action(async (options: InitOptions) =>
      (await import('./init/make-first-workspace.ts')).makeFirstWorkspace(context, options),
    );
};
