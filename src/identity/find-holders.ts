import type { Secret } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { Identity, ProfileScope } from './contract.ts';
import { createWriteKey, KEY_BYTES } from './identity-key.ts';

/** A profile that holds one of some identities. */
export interface Holder {
  readonly mpid: bigint;
  /** Which of them: indexes, ascending. */
  readonly holds: readonly number[];
}

/** All profiles that hold one of the identities, whether it protects them or not; an identity has few holders. */
export async function findHolders(
  sql: Sql,
  key: Secret,
  { identities, ...scope }: ProfileScope & { readonly identities: readonly Identity[] },
): Promise<readonly Holder[]> {
  const keys = identityKeys(key, scope, identities);
  const rows = await sql.query<{ readonly key: string; readonly mpid: bigint }>(
    'SELECT key::text AS key, mpid FROM profile_identities WHERE workspace_id = $1 AND key = ANY($2::uuid[])',
    [scope.workspaceId, keys],
  );
  const byMpid = Map.groupBy(rows, ({ mpid }) => mpid);
  return [...byMpid].map(([mpid, held]) => {
    const heldKeys = new Set(held.map((row) => row.key.replaceAll('-', '')));
    return { mpid, holds: [...keys.keys()].filter((index) => heldKeys.has(keys[index] as string)) };
  });
}

/** The keys of identities in an environment, 32 hex digits each. */
export function identityKeys(
  key: Secret,
  { environment }: Pick<ProfileScope, 'environment'>,
  identities: readonly Identity[],
): readonly string[] {
  const writeKey = createWriteKey(key, environment);
  return identities.map((identity) => {
    const bytes = Buffer.alloc(KEY_BYTES);
    writeKey(identity, bytes, 0);
    return bytes.toString('hex');
  });
}
