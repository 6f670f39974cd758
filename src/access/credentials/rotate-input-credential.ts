import { and, eq, isNull } from 'drizzle-orm';
import { AppError } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { inputCredentials } from '../tables.ts';
import type { InputSecret } from './create-input-credential.ts';
import { generateSecret } from './generate-credential.ts';
import { recordInputChange, requireLiveInput, sealInputSecret } from './input-credential.ts';
import { previousUntil } from './rotation-grace.ts';

/** Creates a new secret. The old one is accepted for `graceMs` more; an older one ends at once. */
export async function rotateInputCredential(
  { store, clock, keyRing }: AccessDeps,
  input: { key: string; graceMs: number; actor: Actor },
): Promise<InputSecret> {
  const { key, actor } = input;
  const secret = generateSecret();
  const until = previousUntil(clock, input.graceMs);
  await store.transaction(async (tx) => {
    const row = await requireLiveInput(tx, key);
    const changed = await tx.orm
      .update(inputCredentials)
      .set({ secret: sealInputSecret(keyRing, key, secret), previousSecret: row.secret, previousUntil: until })
      .where(
        and(eq(inputCredentials.key, key), eq(inputCredentials.secret, row.secret), isNull(inputCredentials.revokedOn)),
      )
      .returning({ key: inputCredentials.key });
    if (changed.length === 0)
      throw new AppError(
        'STORE_CONFLICT',
        'Another request changed the credential at the same time; check it and try again.',
      );
    const detail = { name: row.name, previous_until: until };
    await recordInputChange(tx, row, {
      actor,
      occurredOn: timeOf(clock),
      action: 'input_credential.rotated',
      detail,
    });
  });
  return { key, secret };
}
