import { eq } from 'drizzle-orm';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { inputCredentials } from '../tables.ts';
import { recordInputChange, requireLiveInput } from './input-credential.ts';
import { type InputUse, readInputUses } from './input-uses.ts';

/** Replaces the uses that a key allows and returns them; every daemon follows within seconds. */
export async function changeInputUses(
  { store, clock }: AccessDeps,
  input: { key: string; uses: readonly string[]; actor: Actor },
): Promise<readonly InputUse[]> {
  const uses = readInputUses(input.uses);
  await store.transaction(async (tx) => {
    const row = await requireLiveInput(tx, input.key);
    await tx.orm
      .update(inputCredentials)
      .set({ uses: [...uses] })
      .where(eq(inputCredentials.key, row.key));
    await recordInputChange(tx, row, {
      actor: input.actor,
      occurredOn: timeOf(clock),
      action: 'input_credential.changed',
      detail: { name: row.name, before: row.uses, after: uses },
    });
  });
  return uses;
}
