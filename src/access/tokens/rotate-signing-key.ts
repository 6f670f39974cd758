import { eq, lt } from 'drizzle-orm';
import { AppError } from '../../kernel/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { signingKeys } from '../tables.ts';
import { insertSigningKey, listSigningKeys } from './signing-key.ts';
import { KEY_CACHE_MS } from './signing-keys.ts';
import { TOKEN_LIFETIME_SECONDS } from './token-claims.ts';

/**
 * Time for which the old key is published. A daemon may sign with it until its cache has the new key and that was published
 * long enough; the last token then lives 8 hours. The rest covers clocks that differ.
 */
const OLD_KEY_LIVES_MS = TOKEN_LIFETIME_SECONDS * 1000 + 2 * KEY_CACHE_MS + 5 * 60_000;

/** Creates a new key to sign tokens. The old key stays published until its last token has expired (D-020). */
export async function rotateSigningKey({ store, clock, keyRing }: AccessDeps): Promise<void> {
  const nowMs = clock.nowMs();
  await store.transaction(async (tx) => {
    const [newest] = await listSigningKeys(tx);
    const made = await insertSigningKey({ clock, keyRing }, tx, (newest?.generation ?? 0) + 1);
    if (!made)
      throw new AppError(
        'STORE_CONFLICT',
        'Another command rotated the signing key at the same time; no further rotation is needed.',
      );
    if (newest === undefined) return;
    const retiresOn = new Date(nowMs + OLD_KEY_LIVES_MS);
    await tx.orm.update(signingKeys).set({ retiresOn }).where(eq(signingKeys.id, newest.kid));
    await tx.orm.delete(signingKeys).where(lt(signingKeys.retiresOn, timeOf(clock)));
  });
}
