import { eq } from 'drizzle-orm';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { inputCredentials } from '../tables.ts';
import { recordInputChange, requireLiveInput } from './input-credential.ts';

/** Revokes an input key, which is refused from now on. */
export async function revokeInputCredential(
  { store, clock }: AccessDeps,
  input: { key: string; actor: Actor },
): Promise<void> {
  const revokedOn = timeOf(clock);
  await store.transaction(async (tx) => {
    const row = await requireLiveInput(tx, input.key);
    await tx.orm
      .update(inputCredentials)
      .set({ revokedOn, previousSecret: null, previousUntil: null })
      .where(eq(inputCredentials.key, row.key));
    await recordInputChange(tx, row, {
      actor: input.actor,
      occurredOn: revokedOn,
      action: 'input_credential.revoked',
      detail: { name: row.name },
    });
  });
}
