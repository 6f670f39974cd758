import { generateSecret } from '../../access/index.ts';
import { warehouseSetUps } from '../../app.ts';
import { PROVIDERS, readSetUp, type SetUpScript, type SetUpValues } from '../../warehouse/index.ts';
import type { CommandContext } from '../command.ts';

/** The provider's word, in lower case, and the inputs that were given. */
export type SetupSqlOptions = SetUpValues & { readonly provider: string };

/** Prints what an administrator runs once in the warehouse (002, Identity resolution in a warehouse table, step 4). */
export async function setupSql(context: CommandContext, { provider: word, ...given }: SetupSqlOptions): Promise<void> {
  const output = context.output();
  const provider = PROVIDERS.find((name) => name.toLowerCase() === word) ?? 'Alpha';
  const setUp = warehouseSetUps[provider];
  const values = readSetUp(setUp, word, given);
  const needsPassword = setUp.inputs.password !== undefined && values.password === undefined;
  const script = setUp.write(needsPassword ? { ...values, password: newPassword() } : values);
  if (output.json) output.object({ provider, ...script });
  else output.line(textOf(script, provider));
}

/** Long enough for every product, with the kinds of letters that some ask for. */
function newPassword(): string {
  return `Pw-${generateSecret().reveal().slice(0, 40)}`;
}

function textOf({ before, statements, keep }: SetUpScript, provider: string): string {
  const body = statements.map(({ purpose, sql }) => `-- ${purpose}.\n${sql};`);
  return [
    ...before.map((sentence) => `-- ${sentence}`),
    '',
    body.join('\n\n'),
    '',
    `-- Keep for the connection (service_provider ${provider}):`,
    ...keep.map(({ what, where }) => `--   ${where}: ${what}`),
    "-- Then: a feed with this provider's word as module_name, and a user_attributes pipeline that names it, over a model that",
    '-- projects MPID and identities from that table.',
  ].join('\n');
}
