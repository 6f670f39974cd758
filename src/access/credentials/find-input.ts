import { and, eq } from 'drizzle-orm';
import { isWithin, type Secret, sha256, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { AccessDeps } from '../access-deps.ts';
import { feeds, inputCredentials } from '../tables.ts';
import { isCredentialId } from './generate-credential.ts';
import { type InputCredentialRow, inputSecretContext } from './input-credential.ts';
import type { InputUse } from './input-uses.ts';

/** One secret, with the time until which it is accepted. */
export interface LiveSecret {
  readonly secret: Secret;
  readonly sha256: Buffer;
  readonly untilMs: number;
}

/** A live input key as this daemon holds it in memory. */
export interface KnownInput {
  readonly key: string;
  readonly workspaceId: WorkspaceId;
  readonly uses: readonly string[] & { includes(use: InputUse): boolean };
  /** Feed of the key; undefined for the key of an input. */
  readonly feed: { readonly id: bigint; readonly isActive: boolean } | undefined;
  /** Secrets, the newest first; two while a rotated one is still accepted. */
  readonly secrets: readonly LiveSecret[];
}

/** A lookup of keys, undefined for a key that is unknown or revoked. */
export type FindInput = (key: string) => Promise<KnownInput | undefined>;

/** Time that a key stays cached: revocation, rotation, uses and feeds reach every daemon within it. */
export const INPUT_CACHE_MS = 3_000;
const INPUTS_KEPT = 10_000;

interface Kept {
  readonly input: KnownInput;
  readonly atMs: number;
}

/**
 * Returns a lookup of keys, cached for three seconds; concurrent requests share one lookup.
 * A miss is not cached: a new key is found at once.
 */
export function createFindInput(deps: AccessDeps): FindInput {
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<KnownInput | undefined>>();
  const read = async (key: string): Promise<KnownInput | undefined> => {
    const atMs = deps.clock.nowMs();
    const input = await readInput(deps, key);
    if (kept.size >= INPUTS_KEPT) kept.clear();
    if (input === undefined) kept.delete(key);
    else kept.set(key, { input, atMs });
    return input;
  };
  return async (key) => {
    const hit = kept.get(key);
    if (hit !== undefined && isWithin(deps.clock, hit.atMs, INPUT_CACHE_MS)) return hit.input;
    const shared = reading.get(key) ?? read(key).finally(() => reading.delete(key));
    reading.set(key, shared);
    return shared;
  };
}

async function readInput({ store, keyRing }: AccessDeps, key: string): Promise<KnownInput | undefined> {
  // text that cannot be a key is looked up as an empty key: the store is asked either way, but never for text that it cannot
  // hold
  const wanted = eq(inputCredentials.key, isCredentialId(key) ? key : '');
  const [row] = await store.orm.select().from(inputCredentials).where(wanted);
  if (row === undefined || row.revokedOn !== null) return undefined;
  const reveal = (text: string, untilMs: number): LiveSecret => {
    const secret = keyRing.decrypt(text, inputSecretContext(row.key));
    return { secret, sha256: sha256(secret.reveal()), untilMs };
  };
  const current = reveal(row.secret, Number.POSITIVE_INFINITY);
  const { previousSecret, previousUntil } = row;
  const previous =
    previousSecret === null || previousUntil === null ? [] : [reveal(previousSecret, previousUntil.getTime())];
  return {
    key: row.key,
    workspaceId: workspaceId(row.workspaceId),
    uses: row.uses,
    feed: await readFeed(store, row),
    secrets: [current, ...previous],
  };
}

async function readFeed(
  sql: AccessDeps['store'],
  { workspaceId: id, feedId }: InputCredentialRow,
): Promise<KnownInput['feed']> {
  if (feedId === null) return undefined;
  const [feed] = await sql.orm
    .select({ id: feeds.id, isActive: feeds.isActive })
    .from(feeds)
    .where(and(eq(feeds.workspaceId, id), eq(feeds.id, feedId)));
  return feed ?? { id: feedId, isActive: false };
}
