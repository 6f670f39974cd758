import { createInputCredential, createPlatformCredential } from '../../access/index.ts';
import type { CommandContext } from '../command.ts';
import { theAccount, theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';
import { type RightsOptions, workspaceIdsOf } from './rights.ts';

export interface PlatformOptions extends RightsOptions {
  readonly account?: bigint;
}

export interface InputOptions {
  readonly uses: readonly string[];
  readonly workspace?: bigint;
}

/** Creates a platform credential and shows its secret. */
export async function createPlatform(context: CommandContext, name: string, options: PlatformOptions): Promise<void> {
  const { role } = options;
  const workspaceIds = workspaceIdsOf(options.workspaces);
  const made = await asOperator(context, async (operator) => {
    const accountId = options.account ?? (await theAccount(operator.store));
    return createPlatformCredential(operator, { accountId, name, role, workspaceIds, actor: operator.actor });
  });
  context.output().object({ client_id: made.clientId, client_secret: made.clientSecret.reveal(), role });
}

/** Creates an input credential and shows its secret. */
export async function createInput(context: CommandContext, name: string, options: InputOptions): Promise<void> {
  const { uses } = options;
  const made = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, options.workspace);
    return createInputCredential(operator, { workspaceId, name, uses, actor: operator.actor });
  });
  context.output().object({ key: made.key, secret: made.secret.reveal(), uses: uses.join(',') });
}
