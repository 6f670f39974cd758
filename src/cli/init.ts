import { initialise } from '../access/index.ts';
import type { Register } from './command.ts';
import { asOperator } from './operator.ts';

interface InitOptions {
  readonly organisation: string;
  readonly account: string;
  readonly workspace: string;
}

const HELP = `
Makes organisation, account, workspace and an admin credential for the platform API, as far as they are missing.
The client secret is shown this once. Lost it? penstock credentials rotate CLIENT_ID

  penstock init
  penstock init --organisation Acme --account Acme --workspace Production`;

export const registerInit: Register = (program, context) => {
  program
    .command('init')
    .description('make the first workspace and its credentials')
    .option('--organisation <name>', 'name of the organisation', 'My organisation')
    .option('--account <name>', 'name of the account', 'My account')
    .option('--workspace <name>', 'name of the workspace', 'My workspace')
    .addHelpText('after', HELP)
    .action(async (options: InitOptions) => {
      const made = await asOperator(context, (operator) => initialise(operator, { ...options, actor: operator.actor }));
      const output = context.output();
      output.object({
        workspace_id: made.workspaceId,
        account_id: made.accountId,
        organisation_id: made.organisationId,
        ...(made.credential && {
          client_id: made.credential.clientId,
          client_secret: made.credential.clientSecret.reveal(),
        }),
      });
      if (made.credential === undefined) {
        output.note(
          'The admin credential exists already; `penstock credentials rotate CLIENT_ID` gives it a new secret.',
        );
      } else {
        output.note('Keep the client secret: it is shown this once. Next: penstock serve');
      }
    });
};
