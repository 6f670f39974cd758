// Sends forwards to partners. Each attempt is two transactions with the call between them: the first leases the forward, the
// second writes the outcome. If a daemon dies in between, another attempt sends the same body. So a partner is told at least
// once, and recognises a repetition by its subject_request_id.
import type { Outgoing } from '../../http/index.ts';
import {
  asAppError,
  type BackoffPolicy,
  backoffDelayMs,
  type Clock,
  type KeyRing,
  type Log,
  type Random,
  type WorkspaceId,
} from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';
import type { Processor } from '../certificates/create-processor.ts';
import { callPartner, type PartnerOutcome } from './call-partner.ts';
import { findPartner } from './partner.ts';
import { forwardContext } from './queue-forwards.ts';

export interface ForwardDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly keyRing: KeyRing;
  readonly outgoing: Pick<Outgoing, 'call'>;
  readonly processor: Pick<Processor, 'signAnswer'>;
}

/** Lease of an attempt, longer than any call takes. An attempt that outlives it was lost with its daemon. */
const LEASE_MS = 2 * 60_000;
const BACKOFF: BackoffPolicy = { baseMs: 60_000, maxMs: 6 * 3_600_000 };
/** Longest wait of a forward. A later due time was written by a clock that ran ahead. */
export const LONGEST_WAIT_MS = 12 * 3_600_000;

export interface ForwardedRequest {
  readonly workspaceId: WorkspaceId;
  readonly requestId: string;
}

/** Sends the due forwards of one request to all its partners at once, and writes each outcome. */
export async function sendForwards(deps: ForwardDeps, request: ForwardedRequest, signal: AbortSignal): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = await deps.store.query<Due>(
    `SELECT partner_id AS "partnerId", next_attempt_on AS "dueOn" FROM dsr_forwards
     WHERE workspace_id = $1 AND request_id = $2 AND (next_attempt_on <= $3 OR next_attempt_on > $4)`,
    [request.workspaceId, request.requestId, new Date(nowMs), new Date(nowMs + LONGEST_WAIT_MS)],
  );
  const ended = await Promise.allSettled(due.map((forward) => sendForward(deps, { ...request, ...forward }, signal)));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

interface Due {
  readonly partnerId: string;
  readonly dueOn: Date;
}

interface ForwardKey extends ForwardedRequest {
  readonly partnerId: string;
}

async function sendForward(deps: ForwardDeps, { dueOn, ...key }: ForwardKey & Due, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const taken = await takeForward(deps, key, dueOn);
  if (taken === undefined) return;
  const outcome = await tell(deps, { key, taken, signal });
  // a daemon that goes down says nothing about the partner: another one tries again
  if (outcome === undefined) return;
  await settleForward(deps, { key, taken, outcome });
  const fields = { workspace: String(key.workspaceId), request: key.requestId, partner: key.partnerId };
  if (outcome.status === 'failed') deps.log.warn({ ...fields, reason: outcome.message }, 'dsr.forward_failed');
}

interface Taken {
  /** Number of the attempt, the fence against later ones. */
  readonly attempts: number;
  readonly body: string;
}

/** Claims a forward. Returns undefined where another daemon has claimed it, or it is over. */
async function takeForward(
  { store, clock }: ForwardDeps,
  { workspaceId, requestId, partnerId }: ForwardKey,
  dueOn: Date,
): Promise<Taken | undefined> {
  const [taken] = await store.query<Taken>(
    `UPDATE dsr_forwards SET attempts = attempts + 1, next_attempt_on = $5
     WHERE workspace_id = $1 AND request_id = $2 AND partner_id = $3 AND next_attempt_on = $4
     RETURNING attempts, body`,
    [workspaceId, requestId, partnerId, dueOn, new Date(clock.nowMs() + LEASE_MS)],
  );
  return taken;
}

interface Attempt {
  readonly key: ForwardKey;
  readonly taken: Taken;
}

/** Calls the partner and returns the outcome; undefined where the call was aborted because this daemon goes down. */
async function tell(
  { store, keyRing, outgoing, processor }: ForwardDeps,
  { key, taken, signal }: Attempt & { readonly signal: AbortSignal },
): Promise<PartnerOutcome | undefined> {
  const partner = await findPartner(store, { workspaceId: key.workspaceId, id: key.partnerId });
  if (partner === undefined) return { status: 'failed', message: 'The partner was removed.', isFinal: true };
  try {
    const body = keyRing.decrypt(taken.body, forwardContext(key)).reveal();
    const bytes = Buffer.from(body);
    const headers = await processor.signAnswer(3, bytes);
    return await callPartner(outgoing, {
      partner,
      keyRing,
      body,
      bytes,
      headers,
      isFirst: taken.attempts === 1,
      signal,
    });
  } catch (thrown) {
    if (signal.aborted) return undefined;
    const { code, message } = asAppError(thrown);
    const isOurs = code !== 'CALL_FAILED' && code !== 'CALL_REFUSED';
    return { status: 'failed', message: isOurs ? `The request could not be sent (${code}).` : message, isFinal: false };
  }
}

/** Writes the outcome. Nothing is retried where the request was cancelled or completed meanwhile: its body is dropped. */
async function settleForward(
  { store, clock, random }: ForwardDeps,
  { key, taken, outcome }: Attempt & { readonly outcome: PartnerOutcome },
): Promise<void> {
  const nowMs = clock.nowMs();
  const isOver = outcome.status === 'sent' || outcome.isFinal;
  const next = isOver ? null : new Date(nowMs + backoffDelayMs(taken.attempts, BACKOFF, random));
  await writeOutcome(store, key, [
    taken.attempts,
    outcome.status,
    outcome.message ?? null,
    outcome.detail ?? null,
    next,
    outcome.status === 'sent' ? new Date(nowMs) : null,
    isOver,
  ]);
}

type Outcome = readonly (string | number | boolean | Date | null)[];

async function writeOutcome(sql: Sql, { workspaceId, requestId, partnerId }: ForwardKey, outcome: Outcome) {
  await sql.execute(
    `UPDATE dsr_forwards SET status = $5, message = $6, sent_on = $9,
       detail = CASE WHEN body IS NULL OR $10 THEN NULL ELSE $7 END,
       next_attempt_on = CASE WHEN body IS NULL THEN NULL ELSE $8::timestamptz END,
       body = CASE WHEN $10 THEN NULL ELSE body END
     WHERE workspace_id = $1 AND request_id = $2 AND partner_id = $3 AND attempts = $4 AND sent_on IS NULL`,
    [workspaceId, requestId, partnerId, ...outcome],
  );
}
