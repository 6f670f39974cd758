import { type KeyRing, Secret, stringifyJson, workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { identityTypeOfName } from '../contract/identity-types.ts';
import { openSubject, type Request, type Subject, sentId } from '../request.ts';
import { listPartners, type Partner } from './partner.ts';
import { dsrForwards } from './tables.ts';

type Row = typeof dsrForwards.$inferInsert;

/** Message of a skipped forward. */
const NOTHING_TO_SEND = 'No matching identities available.';

/**
 * Queues an erasure of version 3 for each partner of its workspace, in the transaction that creates the request (D-068). The
 * body for each partner is fixed here, so that every attempt sends the same.
 */
export async function queueForwards(tx: Transaction, keyRing: KeyRing, request: Request): Promise<void> {
  if (request.version !== 3 || request.type !== 'erasure') return;
  const subject = openSubject(keyRing, request);
  const partners = await listPartners(tx, workspaceOf(request.workspaceId));
  if (subject === undefined || partners.length === 0) return;
  await tx.orm.insert(dsrForwards).values(partners.map((partner) => forwardOf(keyRing, request, { partner, subject })));
}

function forwardOf(
  keyRing: KeyRing,
  request: Request,
  { partner, subject }: { readonly partner: Partner; readonly subject: Subject },
): Row {
  const key = { workspaceId: request.workspaceId, requestId: request.id, partnerId: partner.id };
  const row = { ...key, domain: partner.domain, name: partner.name, queuedOn: request.receivedOn };
  const identities = matching(partner, subject);
  if (Object.keys(identities).length === 0) return { ...row, status: 'skipped', message: NOTHING_TO_SEND };
  const body = keyRing.encrypt(new Secret(bodyOf(request, identities)), forwardContext(key));
  return { ...row, status: 'pending', body, nextAttemptOn: request.receivedOn };
}

type Identities = Readonly<Record<string, { readonly value: string; readonly encoding: 'raw' }>>;

/** Returns the identities that the partner takes, under the names it expects: one type has two spellings. */
function matching({ identityTypes }: Partner, { identities }: Subject): Identities {
  const given = new Map(identities.map(({ type, value }) => [type, value]));
  const entries = identityTypes.flatMap((name) => {
    const type = identityTypeOfName(name);
    const value = type === undefined ? undefined : given.get(type);
    return value === undefined ? [] : [[name, { value, encoding: 'raw' as const }] as const];
  });
  return Object.fromEntries(entries);
}

// Returns the body for a partner: a create-request body of version 3, so that a partner that speaks OpenDSR can take it
// (D-068).
function bodyOf(request: Request, identities: Identities): string {
  const { type, regulation, submittedOn } = request;
  return stringifyJson({
    regulation,
    subject_request_id: sentId(request),
    subject_request_type: type,
    submitted_time: submittedOn.toISOString(),
    subject_identities: identities,
    api_version: '3.0',
  });
}

/** Returns the encryption context of a forward's body. */
export function forwardContext({
  workspaceId,
  requestId,
  partnerId,
}: Pick<Row, 'workspaceId' | 'requestId' | 'partnerId'>) {
  return `${workspaceId}/dsr_forward/${requestId}/${partnerId}`;
}
