// Shapes of calls: the common analytics specification as Segment's and RudderStack's SDKs send it. Unknown fields pass.
import type { TSchema } from 'typebox';
import { type Issue, type Json, type Micros, parseInstant, quoteValue } from '../../kernel/index.ts';
import type { BatchLimits } from '../contract/batch-limits.ts';
import { compileShape, type ShapeCheck } from '../contract/compile-shape.ts';
import { AnyString, fields, Text } from '../contract/leaves.ts';
import { maybe, open } from '../contract/objects.ts';

const Anything = maybe(open({}));

const COMMON = {
  ...fields(AnyString, 'messageId', 'userId', 'anonymousId', 'channel', 'timestamp', 'originalTimestamp', 'sentAt'),
  context: Anything,
};

const SENT = {
  messageId: 'b1d2e3f4-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
  userId: '4711',
  timestamp: '2026-01-31T12:00:00.000Z',
};
const shown = (title: string, fields: object) => ({ title, examples: [{ ...SENT, ...fields }] });

/** The calls by their `type`; each is the body of its own path too. */
export const CALLS = {
  track: open(
    { ...COMMON, event: Text, properties: Anything },
    shown('TrackCall', { event: 'Searched', properties: { words: 'red shoes' } }),
  ),
  page: open(
    { ...COMMON, ...fields(AnyString, 'name', 'category'), properties: Anything },
    shown('PageCall', { name: 'Basket', properties: { path: '/basket' } }),
  ),
  screen: open(
    { ...COMMON, ...fields(AnyString, 'name', 'category'), properties: Anything },
    shown('ScreenCall', { name: 'Basket' }),
  ),
  identify: open(
    { ...COMMON, traits: Anything },
    shown('IdentifyCall', { traits: { email: 'ann@example.org', plan: 'gold' } }),
  ),
  group: open(
    { ...COMMON, groupId: AnyString, traits: Anything },
    shown('GroupCall', { groupId: 'acme', traits: { name: 'Acme' } }),
  ),
  alias: open({ ...COMMON, previousId: AnyString }, shown('AliasCall', { previousId: 'before-4711' })),
} as const satisfies Readonly<Record<string, TSchema>>;

export type CallType = keyof typeof CALLS;
export const CALL_TYPES = Object.keys(CALLS) as readonly CallType[];
export const isCallType = (name: unknown): name is CallType => typeof name === 'string' && Object.hasOwn(CALLS, name);

/** The fields of a call that passed `checkCall`. */
export interface CallFields {
  readonly [field: string]: Json;
}

export interface Call {
  readonly type: CallType;
  readonly fields: CallFields;
}

const CHECKS = Object.fromEntries(
  Object.entries(CALLS).map(([type, schema]) => [type, compileShape(schema)]),
) as Readonly<Record<CallType, ShapeCheck>>;

/** Required fields of each call; null and empty text count as missing. */
const NEEDED: Readonly<Record<CallType, readonly string[]>> = {
  track: ['event'],
  page: [],
  screen: [],
  identify: [],
  group: ['groupId'],
  alias: ['previousId', 'userId'],
};

const TIMES = ['timestamp', 'originalTimestamp', 'sentAt'] as const;

/** Returns the issues of a call with their paths in the call. Without issues the fields are `CallFields`. */
export function checkCall(type: CallType, fields: Json, limits: BatchLimits): readonly Issue[] {
  const issues = CHECKS[type](fields, limits);
  if (issues.length > 0) return issues;
  const call = fields as CallFields;
  return [
    ...NEEDED[type]
      .filter((name) => isNothing(call[name]) || isBlankId(type, call[name]))
      .map((path) => ({ path, message: 'is required' })),
    ...TIMES.flatMap((path) => timeIssue(path, call[path])),
  ];
}

export const isNothing = (value: Json | undefined): boolean => value === undefined || value === null || value === '';

/** Tells whether an id of an alias call is blank and so names nobody. */
const isBlankId = (type: CallType, value: Json | undefined): boolean =>
  type === 'alias' && typeof value === 'string' && value.trim() === '';

/** Parses a time of a call or of its request; undefined when it is absent or malformed. */
export function instantOf(value: Json | undefined): Micros | undefined {
  return typeof value === 'string' ? parseInstant(value) : undefined;
}

export function timeIssue(path: string, value: Json | undefined): readonly Issue[] {
  if (isNothing(value) || instantOf(value) !== undefined) return [];
  return [
    {
      path,
      message: `must be an ISO 8601 time with its zone, such as 2026-01-31T12:00:00.000Z, is ${quoteValue(value)}`,
    },
  ];
}
