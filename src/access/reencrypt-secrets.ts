import { and, eq } from 'drizzle-orm';
import type { KeyRing } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { AccessDeps } from './access-deps.ts';
import { inputSecretContext } from './input-credential.ts';
import { signingKeyContext } from './signing-key.ts';
import { inputCredentials, signingKeys } from './tables.ts';

/** How many rows were written anew. */
export interface Reencrypted {
  readonly inputCredentials: number;
  readonly signingKeys: number;
}

/**
 * Writes what this room keeps encrypted anew with the newest key, so that an older one can leave the configuration. Safe
 * beside daemons at work: a row that changed meanwhile is left to the next call. Throws SECRET_UNREADABLE for a row whose
 * key is not configured.
 */
export async function reencryptSecrets({ store, keyRing }: AccessDeps): Promise<Reencrypted> {
  return {
    inputCredentials: await reencryptInputs(store, keyRing),
    signingKeys: await reencryptSigningKeys(store, keyRing),
  };
}

async function reencryptInputs(sql: Sql, keyRing: KeyRing): Promise<number> {
  let written = 0;
  for (const row of await sql.orm.select().from(inputCredentials)) {
    const context = inputSecretContext(row.key);
    const secret = renew(keyRing, row.secret, context);
    const previousSecret = row.previousSecret === null ? null : renew(keyRing, row.previousSecret, context);
    if (secret === row.secret && previousSecret === row.previousSecret) continue;
    const unchanged = and(eq(inputCredentials.key, row.key), eq(inputCredentials.secret, row.secret));
    const changed = await sql.orm
      .update(inputCredentials)
      .set({ secret, previousSecret })
      .where(unchanged)
      .returning({ key: inputCredentials.key });
    written += changed.length;
  }
  return written;
}

async function reencryptSigningKeys(sql: Sql, keyRing: KeyRing): Promise<number> {
  let written = 0;
  for (const row of await sql.orm.select().from(signingKeys)) {
    const privateKey = renew(keyRing, row.privateKey, signingKeyContext(row.id));
    if (privateKey === row.privateKey) continue;
    const unchanged = and(eq(signingKeys.id, row.id), eq(signingKeys.privateKey, row.privateKey));
    const changed = await sql.orm
      .update(signingKeys)
      .set({ privateKey })
      .where(unchanged)
      .returning({ id: signingKeys.id });
    written += changed.length;
  }
  return written;
}

/** The same text when the newest key wrote it already. */
function renew(keyRing: KeyRing, text: string, context: string): string {
  return keyRing.needsRotation(text) ? keyRing.encrypt(keyRing.decrypt(text, context), context) : text;
}
