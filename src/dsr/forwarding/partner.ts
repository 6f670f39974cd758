import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, formatTime, type KeyRing, SECRET_MASK, Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { PartnerAnswer, PartnerAuth } from './contract.ts';
import { dsrPartners } from './tables.ts';

export interface Partner extends Readonly<Omit<InferSelectModel<typeof dsrPartners>, 'auth'>> {
  /** Authentication with an encrypted secret; `revealAuth` decrypts it. */
  readonly auth: PartnerAuth;
}

export interface PartnerKey {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
}

export function partnerFromRow(row: InferSelectModel<typeof dsrPartners>): Partner {
  return { ...row, auth: parseAuth(row.auth) };
}

/** Parses the column `auth`, which only this room writes. */
export function parseAuth(text: string): PartnerAuth {
  return JSON.parse(text) as PartnerAuth;
}

/** Finds a partner; undefined where there is none. `lock` holds the row to the end of the transaction. */
export async function findPartner(
  sql: Sql,
  { workspaceId, id }: PartnerKey,
  lock?: 'update',
): Promise<Partner | undefined> {
  const query = sql.orm
    .select()
    .from(dsrPartners)
    .where(and(eq(dsrPartners.workspaceId, workspaceId), eq(dsrPartners.id, id)));
  const [row] = await (lock === undefined ? query : query.for(lock));
  return row === undefined ? undefined : partnerFromRow(row);
}

/** Loads a partner like `findPartner`. Throws NOT_FOUND. */
export async function loadPartner(...args: Parameters<typeof findPartner>): Promise<Partner> {
  const partner = await findPartner(...args);
  if (partner !== undefined) return partner;
  const [, { id }] = args;
  throw new AppError('NOT_FOUND', `There is no partner "${id}" in this workspace; GET the list to see what exists.`);
}

/** Lists the partners of a workspace by id. */
export async function listPartners(sql: Sql, workspaceId: WorkspaceId): Promise<readonly Partner[]> {
  const rows = await sql.orm
    .select()
    .from(dsrPartners)
    .where(eq(dsrPartners.workspaceId, workspaceId))
    .orderBy(asc(dsrPartners.id));
  return rows.map(partnerFromRow);
}

export async function countPartners(sql: Sql, workspaceId: WorkspaceId): Promise<number> {
  return await sql.orm.$count(dsrPartners, eq(dsrPartners.workspaceId, workspaceId));
}

/** Returns the secret of an `auth`; undefined where its type has none. */
export function secretOf(auth: PartnerAuth): string | undefined {
  switch (auth.type) {
    case 'none':
      return undefined;
    case 'basic':
      return auth.password;
    case 'bearer':
      return auth.token;
    case 'header':
      return auth.value;
  }
}

/** Returns the same `auth` with another secret. */
export function withSecret(auth: PartnerAuth, secret: string): PartnerAuth {
  switch (auth.type) {
    case 'none':
      return auth;
    case 'basic':
      return { ...auth, password: secret };
    case 'bearer':
      return { ...auth, token: secret };
    case 'header':
      return { ...auth, value: secret };
  }
}

/** Encrypts the secret of an `auth` for this partner only. */
export function sealAuth(keyRing: KeyRing, key: PartnerKey, auth: PartnerAuth): PartnerAuth {
  const secret = secretOf(auth);
  return secret === undefined ? auth : withSecret(auth, keyRing.encrypt(new Secret(secret), partnerContext(key)));
}

/** Decrypts the secret of a partner. Throws SECRET_UNREADABLE. */
export function revealAuth(
  keyRing: KeyRing,
  { workspaceId, id, auth }: Pick<Partner, 'workspaceId' | 'id' | 'auth'>,
): PartnerAuth {
  const sealed = secretOf(auth);
  if (sealed === undefined) return auth;
  return withSecret(auth, keyRing.decrypt(sealed, partnerContext({ workspaceId, id })).reveal());
}

/** Returns the encryption context of a partner's secret. */
export const partnerContext = ({ workspaceId, id }: Pick<Partner, 'workspaceId' | 'id'>): string =>
  `${workspaceId}/dsr_partner/${id}/auth`;

/** Returns a partner in the form of the API. */
export function partnerAnswer({ id, name, domain, url, auth, identityTypes, ...audit }: Partner): PartnerAnswer {
  return {
    id,
    name,
    domain,
    url,
    auth: withSecret(auth, SECRET_MASK),
    identity_types: [...identityTypes],
    created_on: audit.createdOn.toISOString(),
    created_by: audit.createdBy,
    last_modified_on: formatTime(audit.lastModifiedOn),
    last_modified_by: audit.lastModifiedBy,
  };
}
