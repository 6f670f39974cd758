import { eq } from 'drizzle-orm';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { platformCredentials } from '../tables.ts';
import { recordCredentialChange, requireLiveCredential } from './platform-credential.ts';

/**
 * Revokes a credential, which gets no more tokens. Its issued tokens are valid until they expire, at most 8 hours (D-020). To
 * stop them earlier, first take all workspaces from the credential.
 */
export async function revokePlatformCredential(
  { store, clock }: AccessDeps,
  input: { clientId: string; actor: Actor },
): Promise<void> {
  const revokedOn = timeOf(clock);
  await store.transaction(async (tx) => {
    const row = await requireLiveCredential(tx, input.clientId);
    await tx.orm
      .update(platformCredentials)
      .set({ revokedOn, previousSha256: null, previousUntil: null })
      .where(eq(platformCredentials.clientId, row.clientId));
    await recordCredentialChange(tx, row, {
      actor: input.actor,
      occurredOn: revokedOn,
      action: 'platform_credential.revoked',
      detail: { name: row.name },
    });
  });
}
