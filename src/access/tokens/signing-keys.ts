import { type CryptoKey, importJWK, importPKCS8, type JWTPayload, SignJWT } from 'jose';
import { AppError, isWithin } from '../../kernel/index.ts';
import type { AccessDeps } from '../access-deps.ts';
import type { PublicJwk } from '../contract/token.ts';
import {
  ensureSigningKey,
  listSigningKeys,
  SIGNING_ALGORITHM,
  type SigningKeyRow,
  signingKeyContext,
} from './signing-key.ts';

/** Time that a daemon caches the keys. A new key is published for as long before it signs, so all daemons know it by then. */
export const KEY_CACHE_MS = 60_000;
/** Time between two lookups for unknown keys, so that tokens with such a key do not cost one each. */
const UNKNOWN_KEY_MS = 5_000;

/** The signing keys of the installation as this daemon holds them in memory. */
export interface SigningKeys {
  /** Signs a token, with the `kid` of the key in its header. */
  sign(claims: JWTPayload): Promise<string>;
  /** Returns the key that checks tokens of that `kid`, or undefined where there is none or it retired. */
  find(kid: string): Promise<CryptoKey | undefined>;
  /** Returns the public keys that /.well-known/jwks.json serves. */
  published(): Promise<readonly PublicJwk[]>;
}

interface Loaded {
  readonly atMs: number;
  readonly rows: readonly SigningKeyRow[];
}

export function createSigningKeys(deps: AccessDeps): SigningKeys {
  const { clock } = deps;
  const current = createKeyCache(deps);
  const checking = memo((row: SigningKeyRow) => importPublicKey(row.publicJwk));
  const signing = memo((row: SigningKeyRow) =>
    importPKCS8(deps.keyRing.decrypt(row.privateKey, signingKeyContext(row.kid)).reveal(), SIGNING_ALGORITHM),
  );
  const live = async (maxAgeMs: number): Promise<readonly SigningKeyRow[]> =>
    (await current(maxAgeMs)).filter((row) => row.retiresOn === null || row.retiresOn.getTime() > clock.nowMs());

  return {
    async sign(claims) {
      const row = chooseSigner(await live(KEY_CACHE_MS), clock.nowMs());
      return new SignJWT(claims)
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: row.kid, typ: 'JWT' })
        .sign(await signing(row));
    },
    async find(kid) {
      const named = (rows: readonly SigningKeyRow[]) => rows.find((row) => row.kid === kid);
      const row = named(await live(KEY_CACHE_MS)) ?? named(await live(UNKNOWN_KEY_MS));
      return row === undefined ? undefined : checking(row);
    },
    published: async () => (await live(KEY_CACHE_MS)).map((row) => row.publicJwk),
  };
}

async function importPublicKey(jwk: PublicJwk): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new AppError('INTERNAL', 'A signing key is not an RSA key.');
  return key;
}

/** Returns the newest key that was published long enough for every daemon to know it, else the oldest. */
function chooseSigner(rows: readonly SigningKeyRow[], nowMs: number): SigningKeyRow {
  const row = rows.find(({ createdOn }) => createdOn.getTime() + KEY_CACHE_MS <= nowMs) ?? rows.at(-1);
  if (row === undefined) throw new AppError('INTERNAL', 'No signing key was found after one was created.');
  return row;
}

/**
 * Returns a reader of rows no older than the given age; concurrent callers share one read.
 * Creates the first key where there is none.
 */
function createKeyCache(deps: AccessDeps): (maxAgeMs: number) => Promise<readonly SigningKeyRow[]> {
  let loaded: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;
  const load = async (): Promise<Loaded> => {
    const atMs = deps.clock.nowMs();
    const rows = await listSigningKeys(deps.store);
    if (rows.length > 0) return { atMs, rows };
    await ensureSigningKey(deps);
    return { atMs, rows: await listSigningKeys(deps.store) };
  };
  return async (maxAgeMs) => {
    if (loaded !== undefined && isWithin(deps.clock, loaded.atMs, maxAgeMs)) return loaded.rows;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    loaded = await loading;
    return loaded.rows;
  };
}

function memo(make: (row: SigningKeyRow) => Promise<CryptoKey>): (row: SigningKeyRow) => Promise<CryptoKey> {
  const made = new Map<string, Promise<CryptoKey>>();
  return async (row) => {
    const key = made.get(row.kid) ?? make(row);
    made.set(row.kid, key);
    return key;
  };
}
