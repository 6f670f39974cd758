import { hash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Actor } from '../access/index.ts';
import type { Outgoing } from '../http/index.ts';
import type { Environment, TombstoneKeys } from '../identity/index.ts';
import {
  AppError,
  type Clock,
  fieldPath,
  type Issue,
  type KeyRing,
  refuse,
  type WorkspaceId,
} from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { queueCallbacks } from './callbacks/queue-callbacks.ts';
import { queueForwards } from './forwarding/queue-forwards.ts';
import { planRequest } from './plan-request.ts';
import type { RequestDraft } from './read/draft.ts';
import { type Request, type Subject, sealEncodedRequest, sealSubject } from './request.ts';
import { dsrRequests } from './tables.ts';

export interface CreateDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly keys: TombstoneKeys;
  readonly outgoing: Pick<Outgoing, 'whyRefused'>;
}

export interface RequestToCreate {
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly draft: RequestDraft;
  /** Body as received. */
  readonly bodyText: string;
}

/**
 * Creates a `pending` request and queues its forwards and first callbacks in the same transaction. Throws VALIDATION_FAILED for
 * a callback URL that must not be called, DUPLICATE_ID, and REQUEST_IN_PROGRESS while an equal request is open (D-055).
 */
export async function createRequest(deps: CreateDeps, given: RequestToCreate): Promise<Request> {
  await requireCallable(deps.outgoing, given.draft.callbackUrls);
  const row = rowOf(deps, given);
  for (;;) {
    const created = await insertRequest(deps, row);
    if (created !== undefined) return created;
  }
}

/** Inserts a request. Returns undefined where an equal one blocked it and was over by the time it was read. */
async function insertRequest(deps: CreateDeps, row: Row): Promise<Request | undefined> {
  return await deps.store.transaction(async (tx) => {
    const [created] = await tx.orm.insert(dsrRequests).values(row).onConflictDoNothing().returning();
    if (created === undefined) return await refuseEqual(tx, row);
    await queueForwards(tx, deps.keyRing, created);
    await queueCallbacks(tx, created, created.receivedOn.getTime());
    return created;
  });
}

type Row = typeof dsrRequests.$inferInsert;

function rowOf({ clock, keyRing, keys }: CreateDeps, { workspaceId, actor, draft, bodyText }: RequestToCreate): Row {
  const { subject, callbackUrls, ...fields } = draft;
  const receivedOn = new Date(clock.nowMs());
  const subjectKeys = subjectKeysOf(keys, subject);
  const { startsOn, expectedCompletionOn } = planRequest({ ...fields, receivedOn });
  const id = { workspaceId, id: draft.id };
  return {
    ...fields,
    ...id,
    status: 'pending',
    createdBy: actor,
    receivedOn,
    startsOn,
    expectedCompletionOn,
    nextAttemptOn: startsOn,
    callbackUrls: [...callbackUrls],
    matchHash: matchHashOf(draft, subjectKeys),
    subjectKeys,
    subject: sealSubject(keyRing, id, subject),
    encodedRequest: sealEncodedRequest(keyRing, id, bodyText),
  };
}

const ENVIRONMENTS: readonly Environment[] = ['production', 'development'];

/**
 * Returns keyed hashes of all that a request names, in both environments, sorted. They may be kept after the subject is
 * dropped.
 */
function subjectKeysOf(keys: TombstoneKeys, { identities, mpids }: Subject): string[] {
  const all = ENVIRONMENTS.flatMap((environment) => [
    ...identities.map((identity) => keys.ofIdentity(environment, identity)),
    ...mpids.map((mpid) => keys.ofMpid({ environment, mpid })),
  ]);
  return [...new Set(all)].sort();
}

/**
 * Returns the match hash of a request: 32 hex digits over type, identities and extensions, independent of version and order
 * (D-055).
 */
function matchHashOf({ type, skipWaitingPeriod }: RequestDraft, subjectKeys: readonly string[]): string {
  return hash('sha256', [type, String(skipWaitingPeriod), ...subjectKeys].join('\n'), 'hex').slice(0, 32);
}

/**
 * Refuses a callback URL that is not https or lies at a forbidden address (D-065): at creation, not when it is called.
 */
async function requireCallable(outgoing: CreateDeps['outgoing'], urls: readonly string[]): Promise<void> {
  const reasons = await Promise.all(urls.map((url) => outgoing.whyRefused(url)));
  const issues = reasons.flatMap((message, index): Issue[] =>
    message === undefined ? [] : [{ path: fieldPath('status_callback_urls', index), message }],
  );
  if (issues.length > 0) throw refuse(issues);
}

/**
 * Throws DUPLICATE_ID or REQUEST_IN_PROGRESS. Checks the id first: a sender who repeats a created request wants to hear that it
 * exists.
 */
async function refuseEqual(tx: Transaction, { workspaceId, id, matchHash }: Row): Promise<undefined> {
  const rows = await tx.orm
    .select({ id: dsrRequests.id })
    .from(dsrRequests)
    .where(and(eq(dsrRequests.workspaceId, workspaceId), eq(dsrRequests.id, id)));
  if (rows.length > 0) throw new AppError('DUPLICATE_ID', 'Subject request already exists.');
  const other = await findOpen(tx, workspaceId, matchHash);
  if (other === undefined) return;
  const message = `The request ${other} for the same identities, with the same extensions and type, is in progress; wait until it ends, or cancel it.`;
  throw new AppError('REQUEST_IN_PROGRESS', message);
}

async function findOpen(tx: Transaction, workspaceId: bigint, matchHash: string): Promise<string | undefined> {
  const [row] = await tx.query<{ readonly id: string }>(
    `SELECT coalesce(given_id, id::text) AS id FROM dsr_requests WHERE workspace_id = $1 AND match_hash = $2 AND status IN ('pending', 'in_progress')`,
    [workspaceId, matchHash],
  );
  return row?.id;
}
