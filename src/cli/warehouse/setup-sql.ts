import { readFile } from 'node:fs/promises';
import { PROVIDER_FACTS, PROVIDERS, type Provider, providerOf } from '../../../connectors/facts.ts';
import { generateSecret } from '../../access/index.ts';
import { warehouseSetUps } from '../../app.ts';
import { refuse } from '../../kernel/index.ts';
import { readSetUp, type SetUp, type SetUpScript, type SetUpValues } from '../../warehouse/index.ts';
import type { CommandContext } from '../command.ts';

/** The provider's word and the given inputs; `publicKey` is the name of a file. */
export type SetupSqlOptions = SetUpValues & { readonly provider: string };

/**
 * Prints the script that an administrator runs once in the warehouse (docs/spec/warehouse-sync.md#mpids-in-a-warehouse-table,
 * step 4).
 */
export async function setupSql(context: CommandContext, { provider: word, ...given }: SetupSqlOptions): Promise<void> {
  const output = context.output();
  const provider = readProvider(word);
  const setUp = warehouseSetUps[provider];
  const values = readSetUp(setUp, word, { ...given, ...(await publicKeyOf(given)) });
  const script = setUp.write({ ...values, ...(needsPassword(setUp, values) && { password: newPassword() }) });
  if (output.json) output.object({ provider, ...script });
  else output.line(textOf(script, provider));
}

function readProvider(word: string): Provider {
  const provider = providerOf(word);
  if (provider !== undefined) return provider;
  const words = PROVIDERS.map(wordOf).join(', ');
  throw refuse([{ path: '--provider', message: `"${word}" is not a provider; use one of ${words}` }]);
}

function wordOf(provider: Provider): string {
  const products = PROVIDER_FACTS[provider].productNames.join(', ');
  return products === '' ? provider.toLowerCase() : `${provider.toLowerCase()} (${products})`;
}

/** Reads the public key from its PEM file, without the first and the last line. */
async function publicKeyOf({ publicKey: file }: SetUpValues): Promise<Pick<SetUpValues, 'publicKey'>> {
  if (file === undefined) return {};
  const pem = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw refuse([{ path: '--public-key', message: `cannot be read: ${String(cause)}` }]);
  });
  const [, key = ''] = /-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/.exec(pem) ?? [];
  return { publicKey: key.replace(/\s/g, '') };
}

function needsPassword({ inputs }: SetUp, { password, publicKey }: SetUpValues): boolean {
  return inputs.password !== undefined && password === undefined && publicKey === undefined;
}

/** Returns a random password that is long enough for every product, with the kinds of characters that some require. */
function newPassword(): string {
  return `Pw-${generateSecret().reveal().slice(0, 40)}`;
}

function textOf({ before, statements, keep }: SetUpScript, provider: Provider): string {
  const body = statements.map(({ purpose, sql }) => `-- ${purpose}.\n${sql};`);
  return [
    ...before.map((sentence) => `-- ${sentence}`),
    '',
    body.join('\n\n'),
    '',
    `-- Values for the connection (service_provider ${provider}):`,
    ...keep.map(({ what, where }) => `--   ${where}: ${what}`),
    "-- Then: a feed with this provider's word as module_name, and a user_attributes pipeline that names it, over a model that",
    '-- projects MPID and identities from that table.',
  ].join('\n');
}
