import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller, Outgoing } from '../../http/index.ts';
import { AppError, type Clock, type Issue, type KeyRing, refuse, SECRET_MASK } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { type PartnerAuth, type PartnerBody, SECRET_FIELDS } from './contract.ts';
import {
  countPartners,
  loadPartner,
  type Partner,
  type PartnerKey,
  partnerAnswer,
  partnerFromRow,
  sealAuth,
  secretOf,
  withSecret,
} from './partner.ts';
import { dsrPartners } from './tables.ts';

export interface PartnerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly outgoing: Pick<Outgoing, 'whyRefused'>;
}

// Maximum number of partners in a workspace. Each erasure is stored once for each of them.
const MOST_PARTNERS = 50;

/** Creates a partner. Throws VALIDATION_FAILED and DUPLICATE_ID. */
export async function createPartner(deps: PartnerDeps, caller: Caller, body: PartnerBody): Promise<Partner> {
  const { workspaceId, actor } = caller;
  await requireUsable(deps, body);
  if (secretOf(body.auth) === SECRET_MASK) throw refuse([maskIssue(body.auth, 'no secret is stored')]);
  const createdOn = new Date(deps.clock.nowMs());
  return await deps.store.transaction(async (tx) => {
    const key = { workspaceId, id: body.id };
    if ((await countPartners(tx, workspaceId)) >= MOST_PARTNERS) throw tooMany();
    const auth = sealAuth(deps.keyRing, key, body.auth);
    const values = { ...key, ...columnsOf(body, auth), createdOn, createdBy: actor };
    const [row] = await tx.orm.insert(dsrPartners).values(values).onConflictDoNothing().returning();
    if (row === undefined) throw duplicate(body.id);
    const created = partnerFromRow(row);
    await record(tx, caller, { action: 'dsr_partner.created', at: createdOn, id: body.id, detail: shown(created) });
    return created;
  });
}

/** Replaces a partner. Throws VALIDATION_FAILED and NOT_FOUND. */
export async function replacePartner(
  deps: PartnerDeps,
  caller: Caller,
  { id, body }: { readonly id: string; readonly body: PartnerBody },
): Promise<Partner> {
  const { workspaceId, actor } = caller;
  await loadPartner(deps.store, { workspaceId, id });
  if (body.id !== id) throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
  await requireUsable(deps, body);
  const lastModifiedOn = new Date(deps.clock.nowMs());
  return await deps.store.transaction(async (tx) => {
    const before = await loadPartner(tx, { workspaceId, id }, 'update');
    const auth = keptAuth(deps.keyRing, { workspaceId, id }, { body, before });
    const [row] = await tx.orm
      .update(dsrPartners)
      .set({ ...columnsOf(body, auth), lastModifiedOn, lastModifiedBy: actor })
      .where(and(eq(dsrPartners.workspaceId, workspaceId), eq(dsrPartners.id, id)))
      .returning();
    if (row === undefined) throw new AppError('INTERNAL', `The partner "${id}" was deleted while it was locked.`);
    const after = partnerFromRow(row);
    const detail = { before: shown(before), after: shown(after) };
    await record(tx, caller, { action: 'dsr_partner.updated', at: lastModifiedOn, id, detail });
    return after;
  });
}

/** Deletes a partner; its queued forwards are not sent. Throws NOT_FOUND. */
export async function deletePartner(
  { store, clock }: Pick<PartnerDeps, 'store' | 'clock'>,
  caller: Caller,
  id: string,
): Promise<void> {
  const key = { workspaceId: caller.workspaceId, id };
  await store.transaction(async (tx) => {
    await loadPartner(tx, key, 'update');
    await tx.orm.delete(dsrPartners).where(and(eq(dsrPartners.workspaceId, key.workspaceId), eq(dsrPartners.id, id)));
    const at = new Date(clock.nowMs());
    await record(tx, caller, { action: 'dsr_partner.deleted', at, id, detail: {} });
  });
}

/** Headers that the request itself sets. */
const OWN_HEADERS = /^(host|connection|content-.*|transfer-encoding|accept|expect|te|trailer|upgrade|x-opendsr-.*)$/i;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

async function requireUsable({ outgoing }: PartnerDeps, { url, auth }: PartnerBody): Promise<void> {
  const why = await outgoing.whyRefused(url);
  const issues: Issue[] = why === undefined ? [] : [{ path: 'url', message: why }];
  if (auth.type === 'header' && OWN_HEADERS.test(auth.name)) {
    issues.push({ path: 'auth.name', message: `${auth.name} is a header that Penstock sets itself; choose another` });
  }
  if (auth.type === 'basic' && auth.username.includes(':')) {
    issues.push({ path: 'auth.username', message: 'contains a colon, which HTTP Basic does not allow in a user name' });
  }
  const secret = secretOf(auth);
  if (auth.type !== 'basic' && secret !== undefined && !HEADER_VALUE.test(secret)) {
    issues.push({
      path: `auth.${SECRET_FIELDS[auth.type]}`,
      message: 'contains characters that are not allowed in a header',
    });
  }
  if (issues.length > 0) throw refuse(issues);
}

/**
 * Returns the `auth` to store. A mask keeps the stored secret, but only while the URL stays the same. Else an editor of
 * partners could have the secret sent to their own server.
 */
function keptAuth(
  keyRing: KeyRing,
  key: PartnerKey,
  { body, before }: { readonly body: PartnerBody; readonly before: Partner },
): PartnerAuth {
  const { auth, url } = body;
  if (secretOf(auth) !== SECRET_MASK) return sealAuth(keyRing, key, auth);
  if (auth.type !== before.auth.type) throw refuse([maskIssue(auth, `the type was ${before.auth.type}`)]);
  if (url !== before.url) throw refuse([maskIssue(auth, 'the url changed')]);
  const kept = secretOf(before.auth);
  return kept === undefined ? auth : withSecret(auth, kept);
}

function maskIssue(auth: PartnerAuth, why: string): Issue {
  return { path: `auth.${SECRET_FIELDS[auth.type]}`, message: `is the mask, but ${why}; send the secret itself` };
}

function columnsOf({ name, domain, url, identity_types: identityTypes }: PartnerBody, auth: PartnerAuth) {
  return { name, domain: domain.toLowerCase(), url, auth: JSON.stringify(auth), identityTypes };
}

/** Returns what the audit log records of a partner. */
function shown(partner: Partner): Readonly<Record<string, unknown>> {
  const { name, domain, url, auth, identity_types } = partnerAnswer(partner);
  return { name, domain, url, auth, identity_types };
}

interface PartnerChange {
  readonly action: string;
  readonly at: Date;
  readonly id: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function record(tx: Transaction, { workspaceId, actor }: Caller, { action, at, id, detail }: PartnerChange) {
  await recordChange(tx, { workspaceId, actor, occurredOn: at, action, resource: `dsr_partner/${id}`, detail });
}

function duplicate(id: string): AppError {
  const message = `id: this workspace already has a partner "${id}"; PUT it, or choose another id.`;
  return new AppError('DUPLICATE_ID', message);
}

function tooMany(): AppError {
  return refuse([{ path: '', message: `A workspace has at most ${MOST_PARTNERS} partners; delete one first.` }]);
}
