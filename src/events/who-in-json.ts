import { MOST_DEPTH, measure } from '../http/index.ts';
import {
  type Environment,
  type Identity,
  type IdentityType,
  identityTypeOfColumn,
  isIdentity,
  type NamedPerson,
  normaliseIdentity,
} from '../identity/index.ts';
import { fitsInt64, isRawNumber, type Json, parseJson } from '../kernel/index.ts';

/** What calls of analytics SDKs name somebody by, besides the names of batches. */
const FIELDS_OF_CALLS: ReadonlyMap<string, IdentityType> = new Map([
  ['userId', 'customer_id'],
  ['previousId', 'customer_id'],
  ['phone', 'mobile_number'],
]);

const WHOLE_NUMBER = /^-?\d{1,19}$/;

/** Whom a batch or call names that is not right in form, wherever in it: fields that are called like an identity. */
export function whoInJson(text: string): NamedPerson {
  const identities: Identity[] = [];
  let mpid: bigint | undefined;
  let environment: Environment = 'production';
  walk(readable(text), (name, value) => {
    if (name === 'environment' && value === 'development') environment = value;
    if (name === 'mpid' && WHOLE_NUMBER.test(value) && fitsInt64(BigInt(value))) mpid = BigInt(value);
    const type = FIELDS_OF_CALLS.get(name) ?? identityTypeOfColumn(name);
    const identity = type === undefined ? undefined : normaliseIdentity(type, value);
    if (identity !== undefined && isIdentity(identity)) identities.push(identity);
  });
  return mpid === undefined ? { environment, identities } : { environment, identities, mpid };
}

/** The value of a JSON text; undefined for one whose nesting leaves no stack to look into it, or to write it again. */
export function readable(text: string): Json | undefined {
  try {
    const value = parseJson(text);
    return measure(value).depth > MOST_DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}

function walk(value: unknown, onText: (name: string, text: string) => void, name = ''): void {
  if (isRawNumber(value)) onText(name, value.rawJSON);
  else if (Array.isArray(value)) for (const item of value) walk(item, onText, name);
  else if (typeof value === 'object' && value !== null)
    for (const key in value) walk(Reflect.get(value, key), onText, key);
  else if (value !== undefined && value !== null) onText(name, String(value));
}
