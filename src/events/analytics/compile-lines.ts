// Compiles the lines of the tables once. The place of each line is looked up in the contract, so a table with an unknown
// place does not load.
import { type IdentityType, isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { AppError, isRawNumber, type Json, tooLong } from '../../kernel/index.ts';
import type { EventType } from '../contract/event-kinds.ts';
import { findDestination } from '../contract/find-destination.ts';
import type { Leaf } from '../contract/leaves.ts';
import { CONVERSIONS, type Conversion, isFields, isList } from './conversions.ts';
import type { FieldLine } from './field-lines.ts';
import { fitValue } from './fit-value.ts';
import type { Platform } from './platforms.ts';

export type Steps = readonly (string | number)[];

/** Field that a line reads: its dotted name, and the name as steps. */
interface Source {
  readonly name: string;
  readonly steps: readonly string[];
}

export interface CompiledLine extends Omit<FieldLine, 'from' | 'to' | 'as'> {
  readonly from: readonly Source[];
  /** Steps from the batch to the place; a list on the way is entered at its first item. */
  readonly to: Steps;
  /** Leaf of the place; undefined when the conversion makes a whole object. */
  readonly leaf: Leaf | undefined;
  readonly convert: Conversion | undefined;
}

export interface Base {
  /** Dotted place below which the lines' own places lie; empty: the batch. */
  readonly below: string;
  readonly eventType?: EventType;
}

export function compileLines(lines: readonly FieldLine[], { below, eventType }: Base): readonly CompiledLine[] {
  return lines.map(({ from, to, as, ...rest }) => ({
    ...rest,
    from: from.map((name) => ({ name, steps: name.split('.') })),
    ...placeOf(below === '' ? to : `${below}.${to}`, eventType, as === 'purposes'),
    convert: as === undefined ? undefined : CONVERSIONS[as].convert,
  }));
}

function placeOf(
  place: string,
  eventType: EventType | undefined,
  isObject: boolean,
): Pick<CompiledLine, 'to' | 'leaf'> {
  if (isObject) return { to: place.split('.'), leaf: undefined };
  const found = findDestination(place, eventType);
  if ('problem' in found) throw new AppError('INTERNAL', `The analytics tables name ${place}, which ${found.problem}.`);
  const { path, lists, leaf } = found;
  return { to: path.flatMap((step, at) => (lists.includes(at) ? [step, 0] : [step])), leaf };
}

/** Value that a line found in a call. */
export interface Found {
  readonly value: Json;
  /** Dotted name of the field. */
  readonly name: string;
}

export interface Looking {
  readonly eventMs: number;
  readonly platform: Platform | undefined;
  /** Names of fields that other lines have taken. */
  readonly taken: ReadonlySet<string>;
  /** The workspace's bound of a name. */
  readonly nameCharacters: number;
}

/** Finds the first field that is present, not taken yet, and fits. */
export function findValue(line: CompiledLine, source: Json, looking: Looking): Found | undefined {
  const { on } = line;
  if (on !== undefined && (looking.platform === undefined || !on.includes(looking.platform))) return undefined;
  for (const { name, steps } of line.from) {
    const value = looking.taken.has(name) ? undefined : fittingValue(line, valueAt(source, steps), looking.eventMs);
    if (value !== undefined && !isToSkip(line, { value, name }, looking)) return { value, name };
  }
  return undefined;
}

/** Tells whether to skip a value that its place refuses and the call can do without: a blank id, or a stand-in too long. */
function isToSkip({ leaf, from }: CompiledLine, found: Found, { nameCharacters }: Looking): boolean {
  if (leaf?.identity !== undefined) return isNoIdentity(leaf.identity, found);
  const isStandIn = leaf?.length === 'name' && found.name !== from[0]?.name;
  return isStandIn && tooLong(found.value, nameCharacters) !== undefined;
}

function isNoIdentity(type: IdentityType, { value, name }: Found): boolean {
  const text = isRawNumber(value) ? value.rawJSON : String(value);
  return text.trim() === '' || (name.startsWith('context.') && !isIdentity(normaliseIdentity(type, text)));
}

function fittingValue({ leaf, convert }: CompiledLine, given: Json | undefined, eventMs: number): Json | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  const value = convert === undefined ? given : convert(given, eventMs);
  return value === undefined || leaf === undefined ? value : fitValue(value, leaf);
}

export function valueAt(source: Json, steps: Steps): Json | undefined {
  let at: Json | undefined = source;
  for (const step of steps) {
    if (isFields(at)) at = Object.hasOwn(at, step) ? at[step] : undefined;
    else at = isList(at) && typeof step === 'number' ? at[step] : undefined;
  }
  return at;
}
