import { identityTypeOfColumn } from '../../identity/index.ts';
import { type Issue, type Json, kindOf, wantedOneOf } from '../../kernel/index.ts';
import { CALL_TYPES, type Call, type CallType, checkCall, isCallType } from './call-contract.ts';
import { isFields } from './conversions.ts';
import type { Draft } from './draft.ts';
import { mapCall } from './map-call.ts';
import type { Reading } from './mapping.ts';

/** A call as received. */
export interface GivenCall {
  readonly fields: Json;
  /** Type of the call; absent: the field `type` has it. */
  readonly type?: CallType;
  /** Issues found while the request was read. */
  readonly issues?: readonly Issue[];
}

/** A call that became a batch, which may still be refused. */
export interface ReadCall {
  readonly call: Call;
  readonly batch: Draft;
}

/** Turns a call into a batch, or returns its issues with their paths in the call. */
export function readCall({ fields, type, issues: known }: GivenCall, reading: Reading): ReadCall | readonly Issue[] {
  if (known !== undefined) return known;
  if (!isFields(fields)) return [{ path: '', message: `must be an object, is ${kindOf(fields)}` }];
  const own = type ?? fields.type;
  if (!isCallType(own)) return [{ path: 'type', message: wantedOneOf(CALL_TYPES, own) }];
  const issues = checkCall(own, fields, reading.limits);
  if (issues.length > 0) return issues;
  const call: Call = { type: own, fields };
  const batch = mapCall(call, reading);
  return batch.events === undefined && !identifiesPerson(batch) ? [NOBODY] : { call, batch };
}

// An event without a person is kept (D-037). A call without an event needs a person.
const NOBODY: Issue = { path: '', message: 'contains no identity; add a userId, an anonymousId or an e-mail address' };

function identifiesPerson({ user_identities, device_info, mp_deviceid }: Draft): boolean {
  const names = [user_identities, device_info].flatMap((held) => (isFields(held) ? Object.keys(held) : []));
  return mp_deviceid !== undefined || names.some((name) => identityTypeOfColumn(name) !== undefined);
}
