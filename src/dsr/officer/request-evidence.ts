import { changesOfResource } from '../../access/index.ts';
import type { KeyRing, WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { listCallbacks } from '../callbacks/list-callbacks.ts';
import { readForwarding } from '../forwarding/read-forwarding.ts';
import { loadRequest } from '../load-request.ts';
import { openSubject, type RequestFacts, sentId } from '../request.ts';
import { readCounts } from '../work/evidence.ts';

const MOST_CALLBACKS = 1000;

/**
 * Returns all that is kept of a request without naming anybody, for an audit: its data and times, what was erased by room, and
 * who was told. Identities are keyed hashes; an open request shows their types too.
 */
export async function readRequestEvidence(
  { store, keyRing }: { readonly store: Sql; readonly keyRing: KeyRing },
  { workspaceId, id }: { readonly workspaceId: WorkspaceId; readonly id: string },
) {
  const request = await loadRequest(store, workspaceId, id);
  const forwarding = await readForwarding(store, { workspaceId, ids: [request.id] });
  const filter = { requestId: request.id, limit: MOST_CALLBACKS, offset: 0, from: undefined, to: undefined };
  const callbacks = await listCallbacks(store, workspaceId, filter);
  const audit = await changesOfResource(store, workspaceId, `dsr_request/${request.id}`);
  return {
    ...requestFacts(request),
    identity_types: openSubject(keyRing, request)?.identities.map(({ name }) => name) ?? null,
    subject_keys: request.subjectKeys,
    erased_keys: request.erasedKeys,
    counts: readCounts(request),
    forwarding: forwarding.get(request.id) ?? [],
    callbacks: callbacks.map(({ requestStatus, receiver, state, queuedOn, deliveredOn, attempts }) => ({
      request_status: requestStatus,
      receiver,
      state,
      queued_on: queuedOn,
      delivered_on: deliveredOn,
      attempts: attempts.length,
    })),
    audit: audit.map(({ occurredOn, ...entry }) => ({ occurred_on: occurredOn, ...entry })),
  };
}

/** Returns the columns of the request under the names of the API. */
export function requestFacts(request: RequestFacts) {
  return {
    subject_request_id: sentId(request),
    controller_id: String(request.workspaceId),
    api_version: `${request.version}.0`,
    subject_request_type: request.type,
    regulation: request.regulation,
    group_id: request.groupId,
    request_status: request.status,
    skip_waiting_period: request.skipWaitingPeriod,
    created_by: request.createdBy,
    submitted_time: request.submittedOn,
    received_time: request.receivedOn,
    starts_on: request.startsOn,
    started_on: request.startedOn,
    completed_on: request.completedOn,
    vacuumed_on: request.vacuumedOn,
    cancelled_on: request.cancelledOn,
    expected_completion_time: request.expectedCompletionOn,
    attempts: request.attempts,
    next_attempt_on: request.nextAttemptOn,
    last_error: request.lastError,
    results_expire_on: request.resultsExpireOn,
  };
}
