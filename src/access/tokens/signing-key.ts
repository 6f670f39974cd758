// Rows of signing_keys, the keys that sign tokens. The first is made once for the installation, however many daemons start
// together.

import { desc } from 'drizzle-orm';
import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { AppError, Secret } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import type { PublicJwk } from '../contract/token.ts';
import { signingKeys } from '../tables.ts';

export const SIGNING_ALGORITHM = 'RS256';
const MODULUS_BITS = 2048;

export interface SigningKeyRow {
  readonly kid: string;
  readonly generation: number;
  readonly publicJwk: PublicJwk;
  /** PKCS#8, encrypted with the context `signingKeyContext(kid)`. */
  readonly privateKey: string;
  readonly createdOn: Date;
  readonly retiresOn: Date | null;
}

export const signingKeyContext = (kid: string): string => `signing_keys/${kid}`;

/** Returns the signing keys, the newest first. */
export async function listSigningKeys(sql: Sql): Promise<readonly SigningKeyRow[]> {
  const rows = await sql.orm.select().from(signingKeys).orderBy(desc(signingKeys.generation));
  return rows.map(({ id, ...row }) => ({ ...row, kid: id }));
}

/** Creates the key of that generation. Returns false where another daemon made it first: `generation` is unique. */
export async function insertSigningKey(
  { clock, keyRing }: Pick<AccessDeps, 'clock' | 'keyRing'>,
  sql: Sql,
  generation: number,
): Promise<boolean> {
  const pair = await generateKeyPair(SIGNING_ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true });
  const { n, e } = await exportJWK(pair.publicKey);
  if (n === undefined || e === undefined)
    throw new AppError('INTERNAL', 'The public key is not an RSA key: it has no modulus.');
  const kid = await calculateJwkThumbprint({ kty: 'RSA', n, e });
  const publicJwk: PublicJwk = { kty: 'RSA', use: 'sig', alg: SIGNING_ALGORITHM, kid, n, e };
  const privateKey = keyRing.encrypt(new Secret(await exportPKCS8(pair.privateKey)), signingKeyContext(kid));
  const made = await sql.orm
    .insert(signingKeys)
    .values({ id: kid, generation, publicJwk, privateKey, createdOn: timeOf(clock) })
    .onConflictDoNothing({ target: signingKeys.generation })
    .returning({ id: signingKeys.id });
  return made.length === 1;
}

/** Creates the first key unless there is one. */
export async function ensureSigningKey({ store, clock, keyRing }: AccessDeps): Promise<void> {
  const [newest] = await listSigningKeys(store);
  if (newest === undefined) await insertSigningKey({ clock, keyRing }, store, 1);
}
