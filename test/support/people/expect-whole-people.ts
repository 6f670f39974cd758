import { expect } from 'vitest';
import type { WorkspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';

/** Invariants of the people of a workspace, each as a query that returns the rows that break it. */
const WRONGS: Readonly<Record<string, string>> = {
  'an identity whose profile is not there': `
    SELECT 1 FROM profile_identities i WHERE i.workspace_id = $1 AND NOT EXISTS
      (SELECT 1 FROM profiles p WHERE p.workspace_id = $1 AND p.mpid = i.mpid)`,
  'a profile that lists more or fewer identities than it owns': `
    SELECT 1 FROM profiles p WHERE p.workspace_id = $1 AND
      (SELECT count(DISTINCT (pair ->> 0, CASE pair ->> 0 WHEN 'email' THEN lower(pair ->> 1) ELSE pair ->> 1 END))
       FROM jsonb_array_elements(p.identities::jsonb) AS listed (pair)) <>
      (SELECT count(*) FROM profile_identities i WHERE i.workspace_id = $1 AND i.mpid = p.mpid)`,
  'an identity that a profile owns twice': `
    SELECT 1 FROM profile_identities WHERE workspace_id = $1 GROUP BY key, mpid HAVING count(*) > 1`,
  'a login identity with two profiles': `
    SELECT 1 FROM profiles, jsonb_array_elements(identities::jsonb) identity
    WHERE workspace_id = $1 AND identity ->> 0 = ANY ($2) GROUP BY environment, identity HAVING count(*) > 1`,
  'a profile whose protection is not what its identities say': `
    SELECT 1 FROM profiles WHERE workspace_id = $1 AND holds_login <> EXISTS
      (SELECT 1 FROM jsonb_array_elements(identities::jsonb) identity WHERE identity ->> 0 = ANY ($2))`,
  'a source that is not there': `
    SELECT 1 FROM profiles p WHERE p.workspace_id = $1 AND p.source_mpid IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM profiles s WHERE s.workspace_id = $1 AND s.environment = p.environment AND s.mpid = p.source_mpid)`,
};

const WITHOUT_IDENTITIES = `SELECT 1 FROM profiles WHERE workspace_id = $1 AND identities = '[]'`;

/** What must hold of people whatever was delivered at the same time. Only a logout may leave a profile without identities. */
export async function expectWholePeople(
  store: Store,
  workspaceId: WorkspaceId,
  { loginTypes = ['customer_id'], withLogouts = false }: { loginTypes?: readonly string[]; withLogouts?: boolean } = {},
): Promise<void> {
  const wrongs = { ...WRONGS, ...(!withLogouts && { 'a profile without identities': WITHOUT_IDENTITIES }) };
  for (const [wrong, query] of Object.entries(wrongs)) {
    const rows = await store.query(query, query.includes('$2') ? [workspaceId, loginTypes] : [workspaceId]);
    expect(rows, wrong).toEqual([]);
  }
}
