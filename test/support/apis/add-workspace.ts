import type { Store } from '../../../src/store/index.ts';

/** For tests that choose the workspace themselves: its settings and its audit log refer to it. */
export async function addWorkspace(store: Store, workspaceId: bigint): Promise<void> {
  await store.query(
    `WITH organisation AS (
       INSERT INTO organisations (name, created_on) VALUES ('o' || $1::int8, '2026-01-01') RETURNING id, created_on
     ), account AS (
       INSERT INTO accounts (organisation_id, name, created_on) SELECT id, 'a', created_on FROM organisation
       RETURNING id, created_on
     )
     INSERT INTO workspaces (id, account_id, name, created_on) OVERRIDING SYSTEM VALUE
     SELECT $1, id, 'w', created_on FROM account`,
    [workspaceId],
  );
}
