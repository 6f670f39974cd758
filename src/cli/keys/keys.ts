import { accessSecrets, rotateSigningKey } from '../../access/index.ts';
import { connectorFleet } from '../../app.ts';
import { dsrSealedTables } from '../../dsr/index.ts';
import { AppError } from '../../kernel/index.ts';
import { pipelinesSecrets } from '../../pipelines/index.ts';
import { runsSecrets } from '../../runs/index.ts';
import { type Reencrypted, reencryptTable, type SealedTable } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator } from '../operator.ts';

/** Gives the tokens a new signing key. */
export async function rotateSigning(context: CommandContext): Promise<void> {
  await asOperator(context, (operator) => rotateSigningKey(operator));
  context.output().object({ signing_key: 'rotated' });
}

/** Returns every table of the store with encrypted texts; a table that copies secrets comes after their source. */
const secretsOf = (nowMs: number): readonly SealedTable[] => [
  ...accessSecrets(nowMs),
  ...pipelinesSecrets(connectorFleet),
  ...runsSecrets(connectorFleet),
  ...dsrSealedTables,
];

/**
 * Re-encrypts every stored secret and shows the number of rows by table.
 * Throws SECRET_UNREADABLE for secrets that it could not re-encrypt.
 */
export async function reencrypt(context: CommandContext): Promise<void> {
  const output = context.output();
  const done = await asOperator(context, async ({ store, keyRing, clock }) => {
    const tables: (readonly [string, Reencrypted])[] = [];
    for (const secrets of secretsOf(clock.nowMs())) {
      output.progress(`re-encrypting ${secrets.table}`);
      tables.push([secrets.table, await reencryptTable(store, keyRing, secrets)]);
    }
    output.progress('');
    return tables;
  });
  output.object(Object.fromEntries(done.map(([table, { written }]) => [table, written])));
  const unreadable = done.filter(([, table]) => table.unreadable > 0);
  if (unreadable.length > 0) throw refusal(unreadable);
}

function refusal(tables: readonly (readonly [string, Reencrypted])[]): AppError {
  const rows = tables.map(([table, { unreadable, examples }]) => {
    const others = unreadable > examples.length ? ' …' : '';
    return `${unreadable} of ${table} (${examples.join(', ')}${others})`;
  });
  return new AppError(
    'SECRET_UNREADABLE',
    `Rows were left unchanged, because their key is not in PENSTOCK_ENCRYPTION_KEYS or their text was changed: ${rows.join('; ')}. ` +
      'Append the key that wrote them and run the command again, or replace or delete the resources they belong to.',
  );
}
