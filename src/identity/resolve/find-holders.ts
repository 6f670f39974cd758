import type { Secret } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Identity, ProfileScope } from '../contract.ts';
import { createWriteKey, KEY_BYTES } from '../identity-key.ts';
import { IS_UNVERIFIED } from '../identity-text.ts';
import { ENVIRONMENT_NUMBER } from '../profiles/read-profiles.ts';

/** A profile that holds one of some identities. */
export interface Holder {
  readonly mpid: bigint;
  /** Indexes of the identities that the profile holds, ascending. */
  readonly holds: readonly number[];
}

/** Finds all profiles that hold one of the identities verified, protected or not. An identity has few holders. */
export async function findHolders(
  sql: Sql,
  key: Secret,
  { identities, ...scope }: ProfileScope & { readonly identities: readonly Identity[] },
): Promise<readonly Holder[]> {
  const keys = identityKeys(key, scope, identities);
  const rows = await sql.query<{ readonly key: string; readonly mpid: bigint }>(
    `SELECT i.key::text AS key, i.mpid FROM profile_identities i
     LEFT JOIN profiles p ON p.workspace_id = $1 AND p.environment = $3 AND p.mpid = i.mpid
     WHERE i.workspace_id = $1 AND i.key = ANY($2::uuid[]) AND NOT ${IS_UNVERIFIED}`,
    [scope.workspaceId, keys, ENVIRONMENT_NUMBER[scope.environment]],
  );
  const byMpid = Map.groupBy(rows, ({ mpid }) => mpid);
  return [...byMpid].map(([mpid, held]) => {
    const heldKeys = new Set(held.map((row) => row.key.replaceAll('-', '')));
    return { mpid, holds: [...keys.keys()].filter((index) => heldKeys.has(keys[index] as string)) };
  });
}

/** Returns the keys of identities in an environment, 32 hex digits each. */
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
