import { eq } from 'drizzle-orm';
import { AppError, type KeyRing, refuse, type Secret, workspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Actor } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import { inputCredentials } from '../tables.ts';

export type InputCredentialRow = Readonly<typeof inputCredentials.$inferSelect>;

/** Encrypts the secret bound to its key: copied to another row, it does not decrypt. */
export function sealInputSecret(keyRing: KeyRing, key: string, secret: Secret): string {
  return keyRing.encrypt(secret, inputSecretContext(key));
}

export const inputSecretContext = (key: string): string => `input_credentials/${key}`;

/** Returns the credential. Throws NOT_FOUND without one, and VALIDATION_FAILED for a revoked one. */
export async function requireLiveInput(sql: Sql, key: string): Promise<InputCredentialRow> {
  const [row] = await sql.orm.select().from(inputCredentials).where(eq(inputCredentials.key, key));
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no input credential ${key}.`);
  if (row.revokedOn === null) return row;
  throw refuse([{ path: 'key', message: `The credential ${key} is revoked; create another one.` }]);
}

interface InputChange {
  readonly actor: Actor;
  readonly occurredOn: Date;
  readonly action: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export async function recordInputChange(
  tx: Transaction,
  row: Pick<InputCredentialRow, 'key' | 'workspaceId'>,
  change: InputChange,
): Promise<void> {
  const resource = `input_credential/${row.key}`;
  await recordChange(tx, { workspaceId: workspaceId(row.workspaceId), resource, ...change });
}
