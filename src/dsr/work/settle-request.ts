// Ends of an attempt: completed, postponed until completion is allowed, failed or released. Each is one transaction.
import { type AppError, type BackoffPolicy, backoffDelayMs, ERROR_CODES } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { earliestCompletion } from '../plan-request.ts';
import type { Request } from '../request.ts';
import { nextRequestStatus } from '../request-machine.ts';
import { setStatus } from '../set-status.ts';
import { type Fence, lockAttempt } from './evidence.ts';
import type { Attempt, WorkDeps } from './work-deps.ts';

const BACKOFF: BackoffPolicy = { baseMs: 60_000, maxMs: 3_600_000 };

/** Work that is part of the transaction that completes a request. */
export type CompletionStep = (tx: Transaction, completedOn: Date) => Promise<void>;

/**
 * Completes the request, queues its callbacks and drops its personal data. An erasure that skips its waiting period waits for
 * the end of its 24 hours first. Returns whether it is completed. Throws LEASE_LOST.
 */
export async function completeRequest(
  { store, clock }: WorkDeps,
  { request }: Attempt,
  finish?: CompletionStep,
): Promise<boolean> {
  const notBefore = earliestCompletion(request);
  return await store.transaction(async (tx) => {
    await lockAttempt(tx, request);
    const nowMs = clock.nowMs();
    if (notBefore !== undefined && nowMs < notBefore.getTime()) {
      await putOff(tx, request, { until: notBefore, lastError: null });
      return false;
    }
    await finish?.(tx, new Date(nowMs));
    const next = nextRequestStatus(request.status, 'complete');
    if (next !== null) await setStatus(tx, request, { next, nowMs });
    return next !== null;
  });
}

/** Records a failed attempt with its reason for the operator, and backs off. Throws LEASE_LOST. */
export async function failRequest(
  { store, clock, random }: WorkDeps,
  { request }: Attempt,
  { error, step }: { readonly error: AppError; readonly step: string },
): Promise<void> {
  await store.transaction(async (tx) => {
    await lockAttempt(tx, request);
    const until = new Date(clock.nowMs() + backoffDelayMs(request.attempts, BACKOFF, random));
    await putOff(tx, request, { until, lastError: reasonOf(error, step) });
  });
}

/** Releases the request of a daemon that goes down; the next pass takes it at once. Throws LEASE_LOST. */
export async function releaseRequest({ store, clock }: WorkDeps, { request }: Attempt): Promise<void> {
  await store.transaction(async (tx) => {
    await lockAttempt(tx, request);
    await putOff(tx, request, { until: new Date(clock.nowMs()), lastError: request.lastError });
  });
}

/** Returns code and step as the reason. The message of an error is left out, because it may hold a value. */
function reasonOf({ code }: AppError, step: string): string {
  return `${code} while ${step}: ${ERROR_CODES[code].meaning}`;
}

async function putOff(
  tx: Transaction,
  { workspaceId, id }: Fence,
  { until, lastError }: { readonly until: Date; readonly lastError: Request['lastError'] },
): Promise<void> {
  await tx.execute(
    'UPDATE dsr_requests SET next_attempt_on = $3, last_error = $4 WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id, until, lastError],
  );
}
