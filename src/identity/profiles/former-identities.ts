// Identities that a profile held once and gave up since. They find no profile, and are shown to nobody but the person. An
// erasure also removes the person by them, from records that still name them.
import type { Sql } from '../../store/index.ts';
import type { HeldIdentity, ProfileScope } from '../contract.ts';
import { parseHeldIdentities } from '../identity-text.ts';
import { ENVIRONMENT_NUMBER } from './read-profiles.ts';

/** Returns the former identities, the latest first; none for most profiles, and for a missing one. */
export async function readFormerIdentities(
  sql: Sql,
  scope: ProfileScope,
  mpid: bigint,
): Promise<readonly HeldIdentity[]> {
  const [row] = await sql.query<{ readonly former: string | null }>(
    'SELECT former_identities AS former FROM profiles WHERE workspace_id = $1 AND environment = $2 AND mpid = $3',
    [scope.workspaceId, ENVIRONMENT_NUMBER[scope.environment], mpid],
  );
  return parseHeldIdentities(row?.former ?? '[]', true);
}
