import { initialise, listPlatformCredentials } from '../../access/index.ts';
import type { Sql } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator, type Operator } from '../operator.ts';

export interface InitOptions {
  readonly organisation: string;
  readonly account: string;
  readonly workspace: string;
}

/** Creates what is missing, including the home. Shows the ids and, the first time, the client secret. */
export async function makeFirstWorkspace(context: CommandContext, options: InitOptions): Promise<void> {
  const init = async (operator: Operator) => {
    const made = await initialise(operator, { ...options, actor: operator.actor });
    return { made, clientId: await adminOf(operator.store, made.accountId) };
  };
  const { made, clientId } = await asOperator(context, init, { mayMakeHome: true });
  const output = context.output();
  output.object({
    workspace_id: made.workspaceId,
    account_id: made.accountId,
    organisation_id: made.organisationId,
    client_id: clientId,
    ...(made.credential && { client_secret: made.credential.clientSecret.reveal() }),
  });
  output.note(
    made.credential === undefined
      ? `The secret of that credential was shown when it was created. For a new one: penstock credentials rotate ${clientId}`
      : 'Keep the client secret: it is shown only once. Next: penstock serve',
  );
}

/** Returns the client id of the admin credential that `init` made, now or earlier. */
async function adminOf(sql: Sql, accountId: bigint): Promise<string | undefined> {
  const entries = await listPlatformCredentials(sql);
  const admin = entries.find((it) => it.accountId === accountId && it.name === 'admin' && it.revokedOn === null);
  return admin?.clientId;
}
