import { and, eq, isNull } from 'drizzle-orm';
import { AppError, sha256 } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { platformCredentials } from '../tables.ts';
import type { PlatformSecret } from './create-platform-credential.ts';
import { generateSecret } from './generate-credential.ts';
import { recordCredentialChange, requireLiveCredential } from './platform-credential.ts';
import { previousUntil } from './rotation-grace.ts';

/**
 * Gives a credential a new secret.
 * The old one still gets tokens for `graceMs`, so that clients can change over. 0 ends it at once, as a leaked secret requires.
 * An older secret that was still in its grace ends at once. Issued tokens stay valid until they expire (D-020).
 */
export async function rotatePlatformCredential(
  { store, clock }: AccessDeps,
  input: { clientId: string; graceMs: number; actor: Actor },
): Promise<PlatformSecret> {
  const secret = generateSecret();
  const until = previousUntil(clock, input.graceMs);
  await store.transaction(async (tx) => {
    const row = await requireLiveCredential(tx, input.clientId);
    const unchanged = and(
      eq(platformCredentials.secretSha256, row.secretSha256),
      isNull(platformCredentials.revokedOn),
    );
    const changed = await tx.orm
      .update(platformCredentials)
      .set({ secretSha256: sha256(secret.reveal()), previousSha256: row.secretSha256, previousUntil: until })
      .where(and(eq(platformCredentials.clientId, row.clientId), unchanged))
      .returning({ clientId: platformCredentials.clientId });
    if (changed.length === 0)
      throw new AppError(
        'STORE_CONFLICT',
        'Another request changed the credential at the same time; check it and try again.',
      );
    await recordCredentialChange(tx, row, {
      actor: input.actor,
      occurredOn: timeOf(clock),
      action: 'platform_credential.rotated',
      detail: { name: row.name, previous_until: until },
    });
  });
  return { clientId: input.clientId, clientSecret: secret };
}
