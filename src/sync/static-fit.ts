// Whether a static value can stand in a field of the batch (000, Type conventions; rulings §2, Limits). Pure.
import { isIP } from 'node:net';
import type { Leaf } from '../events/index.ts';
import { isRawNumber, type Json } from '../kernel/index.ts';

/** How long names and values may be, in characters. */
export interface TextLimits {
  readonly nameCharacters: number;
  readonly valueCharacters: number;
}

/** Why the value cannot stand there, as a sentence without subject and end; undefined: it can. */
export function staticMisfit(value: Json, leaf: Leaf, limits: TextLimits): string | undefined {
  if (Array.isArray(value)) {
    if (leaf.list === 'never') return `must be ${wanted(leaf)}, is a list`;
    const items = value as readonly Json[];
    return items.map((item) => singleMisfit(item, leaf, limits)).find((problem) => problem !== undefined);
  }
  return leaf.list === 'always' ? `must be a list of ${wanted(leaf)}` : singleMisfit(value, leaf, limits);
}

function singleMisfit(value: Json, leaf: Leaf, limits: TextLimits): string | undefined {
  if (typeof value === 'object' && !isRawNumber(value)) return `must be ${wanted(leaf)}, is ${kindOf(value)}`;
  if (!isOfKind(value, leaf)) return `must be ${wanted(leaf)}, is ${kindOf(value)}`;
  if (typeof value !== 'string') return undefined;
  if (leaf.allowed !== undefined && !leaf.allowed.includes(value)) {
    return `"${shown(value)}" is none of ${leaf.allowed.join(', ')}`;
  }
  const most =
    leaf.length === 'name' ? limits.nameCharacters : leaf.length === 'value' ? limits.valueCharacters : undefined;
  const length = [...value].length;
  return most !== undefined && length > most ? `has ${length} characters; at most ${most} are allowed` : undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const INT64_LIMIT = 2n ** 63n;

function isOfKind(value: Json, { kind, digits }: Leaf): boolean {
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || isRawNumber(value);
  switch (kind) {
    case 'String':
      return isNumber || typeof value === 'boolean' || typeof value === 'string';
    case 'Number':
      return isNumber;
    case 'Integer':
      return isInt64(value) || (digits === true && typeof value === 'string' && /^-?\d{1,19}$/.test(value));
    case 'Boolean':
      return typeof value === 'boolean';
    case 'Uuid':
      return typeof value === 'string' && UUID.test(value);
    case 'Ip':
      return typeof value === 'string' && isIP(value) !== 0;
    case 'string':
      return typeof value === 'string';
  }
}

function isInt64(value: Json): boolean {
  if (typeof value === 'bigint') return value >= -INT64_LIMIT && value < INT64_LIMIT;
  return typeof value === 'number' && Number.isSafeInteger(value);
}

const WORDS: Readonly<Record<Leaf['kind'], string>> = {
  String: 'text, a number, true or false',
  string: 'text',
  Integer: 'a whole number of 64 bits',
  Number: 'a number',
  Boolean: 'true or false',
  Uuid: 'a UUID as text',
  Ip: 'an IPv4 or IPv6 address as text',
};

function wanted({ kind, allowed }: Leaf): string {
  return allowed === undefined ? WORDS[kind] : `one of ${allowed.join(', ')}`;
}

function kindOf(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `the text "${shown(value)}"`;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (isRawNumber(value)) return value.rawJSON;
  return Array.isArray(value) ? 'a list' : 'an object';
}

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
