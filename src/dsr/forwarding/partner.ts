import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, formatTime, type KeyRing, SECRET_MASK, Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { type PartnerAnswer, type PartnerAuth, SECRET_FIELDS } from './contract.ts';
import { dsrPartners } from './tables.ts';

export interface Partner extends Readonly<Omit<InferSelectModel<typeof dsrPartners>, 'auth'>> {
  /** Its secret is encrypted; `revealAuth` opens it. */
  readonly auth: PartnerAuth;
}

export interface PartnerKey {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
}

export function partnerFromRow(row: InferSelectModel<typeof dsrPartners>): Partner {
  return { ...row, auth: JSON.parse(row.auth) as PartnerAuth };
}

/** Undefined: there is none. `lock` holds the row to the end of the transaction. */
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

/** As `findPartner`. Throws NOT_FOUND. */
export async function loadPartner(...args: Parameters<typeof findPartner>): Promise<Partner> {
  const partner = await findPartner(...args);
  if (partner !== undefined) return partner;
  const [, { id }] = args;
  throw new AppError('NOT_FOUND', `There is no partner "${id}" in this workspace; GET the list to see what is.`);
}

/** All of a workspace, by id. */
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

/** The secret of an `auth`; undefined where the way to sign in has none. */
export function secretOf(auth: PartnerAuth): string | undefined {
  const field = SECRET_FIELDS[auth.type];
  return field === undefined ? undefined : (auth as Readonly<Record<string, string>>)[field];
}

/** The same `auth` with another text in place of its secret. */
export function withSecret(auth: PartnerAuth, secret: string): PartnerAuth {
  const field = SECRET_FIELDS[auth.type];
  return field === undefined ? auth : ({ ...auth, [field]: secret } as PartnerAuth);
}

/** Encrypted for this partner and no other. */
export function sealAuth(keyRing: KeyRing, key: PartnerKey, auth: PartnerAuth): PartnerAuth {
  const secret = secretOf(auth);
  return secret === undefined ? auth : withSecret(auth, keyRing.encrypt(new Secret(secret), partnerContext(key)));
}

/** Throws SECRET_UNREADABLE. */
export function revealAuth(
  keyRing: KeyRing,
  { workspaceId, id, auth }: Pick<Partner, 'workspaceId' | 'id' | 'auth'>,
): PartnerAuth {
  const sealed = secretOf(auth);
  if (sealed === undefined) return auth;
  return withSecret(auth, keyRing.decrypt(sealed, partnerContext({ workspaceId, id })).reveal());
}

/** What the encrypted secret of a partner is bound to. */
export const partnerContext = ({ workspaceId, id }: Pick<Partner, 'workspaceId' | 'id'>): string =>
  `${workspaceId}/dsr_partner/${id}/auth`;

/** As the API answers it. */
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
