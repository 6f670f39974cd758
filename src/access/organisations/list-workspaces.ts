import { asc, eq } from 'drizzle-orm';
import type { Sql } from '../../store/index.ts';
import { accounts, organisations, workspaces } from '../tables.ts';

export interface WorkspaceEntry {
  readonly id: bigint;
  readonly name: string;
  readonly createdOn: Date;
  readonly accountId: bigint;
  readonly account: string;
  readonly organisationId: bigint;
  readonly organisation: string;
  readonly warehouseSyncProvisioned: boolean;
}

/** Returns every workspace with its account and organisation, ordered by id. */
export async function listWorkspaces(sql: Sql): Promise<readonly WorkspaceEntry[]> {
  return sql.orm
    .select({
      id: workspaces.id,
      name: workspaces.name,
      createdOn: workspaces.createdOn,
      accountId: accounts.id,
      account: accounts.name,
      organisationId: organisations.id,
      organisation: organisations.name,
      warehouseSyncProvisioned: accounts.warehouseSyncProvisioned,
    })
    .from(workspaces)
    .innerJoin(accounts, eq(accounts.id, workspaces.accountId))
    .innerJoin(organisations, eq(organisations.id, accounts.organisationId))
    .orderBy(asc(workspaces.id));
}
