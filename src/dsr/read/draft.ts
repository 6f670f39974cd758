// Common parts of the three create bodies. A reader collects problems by path and refuses them all at once.

import { isAllZeroId, isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { fitsInt64, type Issue, msOfMicros, quoteValue } from '../../kernel/index.ts';
import { identityTypeOfName } from '../contract/identity-types.ts';
import type { Request, Subject, SubjectIdentity } from '../request.ts';
import type { RequestType } from '../request-type.ts';
import { parseSubmittedTime } from './parse-submitted-time.ts';

export type Version = Request['version'];

/** A request as its sender means it, before it is compared with stored ones. */
export interface RequestDraft {
  readonly version: Version;
  /** Request id in lower case. */
  readonly id: string;
  /** Request id as sent; absent or null where it was lower case. */
  readonly givenId?: string | null;
  readonly type: RequestType;
  readonly regulation: 'gdpr' | 'ccpa' | null;
  readonly submittedOn: Date;
  readonly groupId: string | null;
  readonly skipWaitingPeriod: boolean;
  readonly callbackUrls: readonly string[];
  readonly subject: Subject;
}

/** Path of a value in the body, and the list that collects issues. */
export interface FieldContext {
  readonly path: string;
  readonly issues: Issue[];
}

export interface CommonBody {
  readonly subject_request_id: string;
  readonly subject_request_type: RequestType;
  readonly submitted_time: string;
  readonly status_callback_urls?: readonly string[] | null;
}

export function readCommonFields(body: CommonBody, issues: Issue[]) {
  const submitted = parseSubmittedTime(body.submitted_time);
  if (submitted === undefined) {
    const message = `must be an ISO 8601 date or time such as 2026-01-15T12:00:00Z, is ${quoteValue(body.submitted_time)}`;
    issues.push({ path: 'submitted_time', message });
  }
  const id = body.subject_request_id.toLowerCase();
  return {
    id,
    givenId: body.subject_request_id === id ? null : body.subject_request_id,
    type: body.subject_request_type,
    submittedOn: new Date(submitted === undefined ? 0 : msOfMicros(submitted)),
    callbackUrls: [...new Set(body.status_callback_urls ?? [])],
  };
}

/** Reads an identity. Returns undefined for a value that can be none, and adds an issue. */
export function readIdentity(name: string, given: string, { path, issues }: FieldContext): SubjectIdentity | undefined {
  const type = identityTypeOfName(name);
  // the contract has refused unknown names
  if (type === undefined) return undefined;
  const identity = normaliseIdentity(type, given);
  if (!isIdentity(identity)) issues.push({ path, message: identity.message });
  else if (isAllZeroId(identity))
    issues.push({ path, message: 'is the all-zero id, which identifies no device; leave it out.' });
  else return { name, ...identity };
  return undefined;
}

const DIGITS = /^-?\d{1,19}$/;

/** Reads an MPID, which may be a number or its digits as text (D-003). */
export function readMpid(given: string | number | bigint, { path, issues }: FieldContext): bigint | undefined {
  const digits = String(given);
  if (DIGITS.test(digits) && fitsInt64(BigInt(digits))) return BigInt(digits);
  issues.push({ path, message: `must be an MPID, a whole number of 64 bits, is ${quoteValue(given)}` });
  return undefined;
}

/** Requires at least one identity or MPID: a request that names nobody could only be about everybody. */
export function requireSubject({ identities, mpids }: Subject, issues: Issue[]): void {
  if (identities.length + mpids.length > 0 || issues.length > 0) return;
  issues.push({ path: 'subject_identities', message: 'must contain at least one identity of the person.' });
}
