import { isIP } from 'node:net';
import { isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { fitsInt64, isRawNumber, quoteValue, tooLong, wantedOneOf } from '../../kernel/index.ts';
import type { BatchLimits } from './batch-limits.ts';
import { isUuid, type Leaf, type LeafKind } from './leaves.ts';

/** Check of one value that is no list: returns its problem as a sentence without a subject, or undefined. */
export type LeafProblem = (value: unknown, limits: BatchLimits) => string | undefined;

const DIGITS = /^-?\d{1,19}$/;

interface Kind {
  readonly fits: (value: unknown) => boolean;
  readonly wanted: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || isRawNumber(value);

/** Tells whether a value is an integer of 64 bits; beyond 2^53 it comes as bigint (D-003). Null is checked before. */
function isInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
  return typeof value === 'bigint' && fitsInt64(value);
}

const KINDS: Readonly<Record<LeafKind, Kind>> = {
  String: {
    fits: (value) => isText(value) || typeof value === 'boolean' || isNumeric(value),
    wanted: 'a single value (text, a number, true or false)',
  },
  string: { fits: isText, wanted: 'text' },
  Integer: { fits: isInteger, wanted: 'a whole number of 64 bits' },
  Number: { fits: isNumeric, wanted: 'a number' },
  Boolean: { fits: (value) => typeof value === 'boolean', wanted: 'true or false' },
  Uuid: {
    fits: (value) => isText(value) && isUuid(value),
    wanted: 'a UUID such as 00000000-0000-4000-8000-000000000000',
  },
  Ip: { fits: (value) => isText(value) && isIP(value) !== 0, wanted: 'an IPv4 or IPv6 address' },
};

/** Compiles the check of a leaf. Call it once per field. */
export function leafProblem(leaf: Leaf): LeafProblem {
  const ofKind = leaf.allowed === undefined ? kindProblem(leaf) : choiceProblem(leaf.allowed);
  const further = furtherProblem(leaf);
  const { nullable } = leaf;
  return (value, limits) => {
    if (value === null && nullable) return undefined;
    return ofKind(value, limits) ?? further?.(value, limits);
  };
}

function choiceProblem(allowed: readonly string[]): LeafProblem {
  const permitted = new Set<unknown>(allowed);
  return (value) => (permitted.has(value) ? undefined : wantedOneOf(allowed, value));
}

function kindProblem({ kind, nullable, digits }: Leaf): LeafProblem {
  const { fits, wanted } = KINDS[kind];
  const words = `must be ${wanted}${digits ? ', or its digits as text' : ''}${nullable ? ', or null' : ''}`;
  return (value) => (fits(value) || (digits && isDigits(value)) ? undefined : `${words}, is ${quoteValue(value)}`);
}

/** Returns the check of a leaf's rules beyond its kind; undefined when it has none. */
function furtherProblem({ length, identity }: Leaf): LeafProblem | undefined {
  if (length === 'name') return (value, limits) => tooLong(value, limits.nameCharacters);
  if (length === 'value') return (value, limits) => tooLong(value, limits.valueCharacters);
  if (identity === undefined) return undefined;
  return (value) => {
    const normal = normaliseIdentity(identity, textOf(value));
    return isIdentity(normal) ? undefined : normal.message;
  };
}

const isDigits = (value: unknown): boolean => isText(value) && DIGITS.test(value) && isInteger(BigInt(value));

const textOf = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value));
