import { systemClock } from '../../src/kernel/index.ts';
import { fieldsOf, isSyntax, listOf } from './syntax.ts';

/** Stands for a length that only the rows determine. */
export const RUN_TIME = 1000;

interface Estimate {
  /** Value, with times and intervals in milliseconds. NaN for a constant that cannot be read. */
  readonly number: number;
  /** The rows determine the value, and `number` takes each column for 1. */
  readonly varies: boolean;
  readonly isTime: boolean;
}

const DAY_MS = 86_400_000;
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ...([
    ['microsecond', 0.001],
    ['millisecond', 1],
    ['second', 1000],
    ['minute', 60_000],
    ['hour', 3_600_000],
  ] as const),
  ...([
    ['day', DAY_MS],
    ['week', 7 * DAY_MS],
    ['month', 28 * DAY_MS],
    ['quarter', 90 * DAY_MS],
  ] as const),
  ...([
    ['year', 365 * DAY_MS],
    ['decade', 3652 * DAY_MS],
    ['century', 36_524 * DAY_MS],
  ] as const),
]);
const NOW = new Set([
  'now',
  'today',
  'current_date',
  'current_timestamp',
  'get_current_timestamp',
  'transaction_timestamp',
]);

type Operation = (left: number, right: number) => number;
const power: Operation = (base, exponent) => base ** exponent;
const divide: Operation = (left, right) => left / right;
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['%', (_, right) => right],
  ['<<', (left, right) => left * 2 ** right],
  ...(['/', '//'] as const).map((name): [string, Operation] => [name, divide]),
  ...(['^', '**', 'pow', 'power'] as const).map((name): [string, Operation] => [name, power]),
]);
/** Functions whose result is no larger than an argument, or than the length of a text or list. */
const SMALL = new Set([
  'greatest',
  'least',
  'coalesce',
  'ifnull',
  'nullif',
  'abs',
  'ceil',
  'ceiling',
  'floor',
  'round',
  'trunc',
  'date_trunc',
  'len',
  'length',
  'char_length',
  'character_length',
  'strlen',
  'array_length',
  'list_length',
  'list_value',
]);

/** Estimates the value of a number, a time or an interval in the syntax tree, as far as the statement determines it. */
export function estimateNumber(node: unknown): Estimate {
  if (Array.isArray(node)) return largest(node.map(estimateNumber));
  if (!isSyntax(node)) return constant(0);
  if (node.type === 'COLUMN_REF') return columnOf(node.column_names);
  if (node.type === 'VALUE_CONSTANT') return constant(literalOf(node.value));
  if (node.type === 'OPERATOR_CAST') return cast(node.child, String(fieldsOf(node.cast_type).id));
  if (node.class === 'FUNCTION') return call(String(node.function_name).toLowerCase(), listOf(node.children));
  return largest(Object.values(node).map(estimateNumber));
}

const constant = (number: number, isTime = false): Estimate => ({ number, isTime, varies: false });

function largest(parts: readonly Estimate[]): Estimate {
  return {
    number: Math.max(0, ...parts.map(({ number }) => number)),
    varies: parts.some(({ varies }) => varies),
    isTime: parts.some(({ isTime }) => isTime),
  };
}

function columnOf(names: unknown): Estimate {
  const name = String(listOf(names).at(-1)).toLowerCase();
  return NOW.has(name) ? constant(systemClock.nowMs(), true) : { number: 1, varies: true, isTime: false };
}

function literalOf(literal: unknown): number {
  const { value, type } = fieldsOf(literal);
  if (typeof value === 'number') return value / 10 ** Number(fieldsOf(fieldsOf(type).type_info).scale ?? 0);
  if (isSyntax(value)) return Number(value.upper) * 2 ** 64 + Number(value.lower);
  return 0;
}

/** Estimates a cast: a text gets the value of its target type. */
function cast(child: unknown, type: string): Estimate {
  const { value: text } = fieldsOf(fieldsOf(child).value);
  if (typeof text !== 'string') return estimateNumber(child);
  if (type === 'INTERVAL') return constant(intervalOf(text));
  if (!/^(?:DATE|TIMESTAMP)/.test(type)) return constant(Number(text));
  return constant(Date.parse(/\d:\d/.test(text) ? `${text.trim().replace(' ', 'T')}` : text), true);
}

function intervalOf(text: string): number {
  const parts = [...text.matchAll(/(-?[\d.]+)\s*([a-z]+)/gi)];
  if (parts.length === 0) return Number.NaN;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * unitMs(unit), 0);
}

function unitMs(unit: string): number {
  const name = unit
    .toLowerCase()
    .replace(/^centuries$/, 'century')
    .replace(/s$/, '');
  return UNITS_MS.get(name) ?? Number.NaN;
}

function call(name: string, values: readonly unknown[]): Estimate {
  if (NOW.has(name)) return constant(systemClock.nowMs(), true);
  const parts = values.map(estimateNumber);
  const all = largest(parts);
  if (name.startsWith('to_') && UNITS_MS.has(unitOf(name)))
    return { ...all, number: all.number * unitMs(unitOf(name)) };
  const [left, right] = parts;
  const operation = OPERATIONS.get(name);
  if (operation === undefined || left === undefined)
    return all.varies || SMALL.has(name) ? all : constant(Number.NaN, all.isTime);
  if (right === undefined) return { ...left, number: operation(0, left.number) };
  return { ...all, number: operation(inMs(left, right, values[0]), inMs(right, left, values[1])) };
}

const unitOf = (name: string): string =>
  name
    .slice(3)
    .replace(/^centuries$/, 'century')
    .replace(/s$/, '');

/** Converts to milliseconds: a plain number beside a date counts days. */
function inMs({ number, isTime }: Estimate, other: Estimate, node: unknown): number {
  const isInterval =
    fieldsOf(fieldsOf(node).cast_type).id === 'INTERVAL' || /^to_/.test(String(fieldsOf(node).function_name));
  return other.isTime && !isTime && !isInterval ? number * DAY_MS : number;
}
