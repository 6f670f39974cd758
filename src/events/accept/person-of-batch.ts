import {
  type AttributeSet,
  boundSetTimeMs,
  type Identity,
  type IdentityType,
  identityTypeOfColumn,
  isAllZeroId,
  isIdentity,
  normaliseIdentity,
  type Person,
} from '../../identity/index.ts';
import { isRawNumber, microsOfMs, refuse, stringifyJson } from '../../kernel/index.ts';
import type { EventBatch } from '../contract/batch.ts';
import type { WireString } from '../contract/leaves.ts';
import { consentText } from './consent-text.ts';

/**
 * Returns the person of a valid batch and what it says of them: identities, device ids and MPID; user attributes, set
 * first, then those of `deleted_user_attributes` removed (D-033); consent. All of it was set at the batch's
 * `timestamp_unixtime_ms`, but not later than its receipt (D-044). Returns undefined where the batch names nobody.
 */
export function personOfBatch(batch: EventBatch, receivedMs: number): Person | undefined {
  const { user_identities, device_info, mp_deviceid } = batch;
  const identities = identitiesOf([user_identities, device_info, { mp_deviceid }]);
  const mpid = batch.mpid ?? undefined;
  if (identities.length === 0 && mpid === undefined) return undefined;
  const setAtMs = boundSetTimeMs(batch.timestamp_unixtime_ms, receivedMs);
  const consent = consentText(batch.consent_state, { setAtMs, receivedMs });
  return {
    identities,
    attributes: attributesOf(batch),
    setAt: microsOfMs(setAtMs),
    ...(mpid !== undefined && { mpid: BigInt(mpid) }),
    ...(consent !== undefined && { consent }),
  };
}

type Fields = Readonly<Record<string, WireString | undefined>>;

/** Collects the identities among fields. One that occurs twice, also as `customerid`, counts once. */
function identitiesOf(places: readonly (Fields | null | undefined)[]): readonly Identity[] {
  const identities: Identity[] = [];
  for (const fields of places) {
    for (const name in fields) {
      const value = fields[name];
      if (value === null || value === undefined) continue;
      const type = identityTypeOfColumn(name);
      if (type !== undefined) addOnce(identities, identityOf(type, value));
    }
  }
  return identities;
}

function addOnce(identities: Identity[], identity: Identity): void {
  if (isAllZeroId(identity)) return;
  const isThere = identities.some(({ type, value }) => type === identity.type && value === identity.value);
  if (!isThere) identities.push(identity);
}

/** Normalises an identity. Validation has already refused values that cannot be one. */
function identityOf(type: IdentityType, value: WireString): Identity {
  const identity = normaliseIdentity(type, isRawNumber(value) ? value.rawJSON : String(value));
  if (isIdentity(identity)) return identity;
  throw refuse([identity]);
}

function attributesOf({ user_attributes, deleted_user_attributes }: EventBatch): AttributeSet {
  const texts = new Map<string, string | null>();
  for (const [name, value] of Object.entries(user_attributes ?? {})) {
    texts.set(name, value === null ? null : stringifyJson(value));
  }
  for (const name of deleted_user_attributes ?? []) texts.set(name, null);
  return { names: namesOf(texts), texts: [...texts.values()] };
}

const KNOWN_NAMES = new Map<string, readonly string[]>();
const MOST_KNOWN = 1_000;

/** Returns one shared array for all batches with the same attributes, as `AttributeSet` asks. A sender has few such sets. */
function namesOf(texts: ReadonlyMap<string, string | null>): readonly string[] {
  const names = [...texts.keys()];
  const key = names.join('\0');
  const known = KNOWN_NAMES.get(key);
  if (known !== undefined) return known;
  if (KNOWN_NAMES.size === MOST_KNOWN) KNOWN_NAMES.clear();
  KNOWN_NAMES.set(key, names);
  return names;
}
