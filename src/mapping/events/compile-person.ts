import { consentText, type EventBatch, requiredFields } from '../../events/index.ts';
import { type Identity, type IdentityType, isAllZeroId, type Person } from '../../identity/index.ts';
import { isRawNumber, itemAt, msOfMicros, parseJson } from '../../kernel/index.ts';
import type { Cell } from '../../warehouse/index.ts';
import { shownValue } from '../cells/failed-row.ts';
import { identityOf, mpidOf } from '../cells/identity-cell.ts';
import { cellReader } from '../cells/json-cell.ts';
import { compileLeaf, compileObject, type PartWriter } from '../cells/object-text.ts';
import type { Refusal } from '../cells/refusal.ts';
import type { Row } from '../unit-mapping.ts';
import { compileLeafCell } from './compile-leaf.ts';
import type { EventsPlan } from './events-plan.ts';
import { type Placed, placeTree, type Source } from './place-tree.ts';

/** Reads the person of a row's batch, with attributes and consent. */
export type PersonReader = (row: Row) => Omit<Person, 'setAt'> | Refusal;

const NO_IDENTITY: Refusal = {
  rule: 'identity_missing',
  field: '',
  value: null,
  reason:
    'Every identity, device id and MPID of the row is NULL, so its event has no person. Filter such rows in the model.',
};

const TWO_VALUES: Refusal = {
  rule: 'identity_invalid',
  field: '',
  value: null,
  reason:
    'The row has different values for customer_id and customerid, two spellings of one identity. Select only one of them.',
};

/**
 * Compiles the reader of the person. It agrees with `personOfBatch` of the room `events`, but does not parse the batch's text.
 */
export function compilePerson(plan: EventsPlan, batch: readonly Placed[]): PersonReader {
  const readWho = compileWho(batch);
  const readAttributes = compileAttributes(plan, batch);
  const readConsent = compileConsent(plan, batch);
  return (row) => {
    const who = readWho(row);
    if ('rule' in who) return who;
    const attributes = readAttributes(row);
    if ('rule' in attributes) return attributes;
    const consent = readConsent(row, 0n);
    if (consent === undefined) return { ...who, attributes };
    return typeof consent === 'object' ? consent : { ...who, attributes, consent };
  };
}

type Who = Pick<Person, 'identities' | 'mpid'>;

function compileWho(batch: readonly Placed[]): (row: Row) => Who | Refusal {
  const readIdentities = compileIdentities(batch);
  const readMpid = compileMpid(batch.find(({ destination }) => destination.path[0] === 'mpid')?.source);
  return (row) => {
    const identities = readIdentities(row);
    if ('rule' in identities) return identities;
    const mpid = readMpid(row);
    if (typeof mpid === 'object') return mpid;
    if (mpid !== undefined) return { identities, mpid };
    return identities.length === 0 ? NO_IDENTITY : { identities };
  };
}

/** Returns a reader of a column's cell, or of a static value as a cell. */
export function sourceReader(source: Source): (row: Row) => Cell {
  if (source.kind === 'column') return cellReader(source.column, source.position);
  const value = source.kind === 'static' ? source.value : null;
  const cell = value === null || typeof value !== 'object' ? value : isRawNumber(value) ? value.rawJSON : NO_CELL;
  return () => cell;
}

/** The cell of a static list or object. It is no valid identity. */
const NO_CELL: Cell = [];

function refusalOf(source: Source, cell: Cell, fault: Pick<Refusal, 'rule' | 'reason'>): Refusal {
  return { ...fault, field: source.kind === 'column' ? source.column.name : '', value: shownValue(cell) };
}

function compileMpid(source: Source | undefined): (row: Row) => bigint | undefined | Refusal {
  if (source === undefined) return () => undefined;
  const read = sourceReader(source);
  return (row) => {
    const cell = read(row);
    if (cell === null) return undefined;
    const mpid = mpidOf(cell);
    return typeof mpid === 'bigint' ? mpid : refusalOf(source, cell, mpid);
  };
}

interface IdentitySource {
  readonly type: IdentityType;
  readonly source: Source;
}

/** Returns the sources of the batch's identities and device ids. */
export function identitySources(batch: readonly Placed[]): readonly IdentitySource[] {
  return batch.flatMap(({ destination, source }) => {
    const type = destination.leaf.identity;
    return type === undefined ? [] : [{ type, source }];
  });
}

function compileIdentities(batch: readonly Placed[]): (row: Row) => readonly Identity[] | Refusal {
  const sources = identitySources(batch).map((each) => ({ ...each, read: sourceReader(each.source) }));
  // customer_id has two spellings
  const mayRepeat = new Set(sources.map(({ type }) => type)).size < sources.length;
  return (row) => {
    const found: Identity[] = [];
    for (const { type, source, read } of sources) {
      const cell = read(row);
      if (cell === null) continue;
      const identity = identityOf(type, cell);
      if ('rule' in identity) return refusalOf(source, cell, identity);
      found.push(identity);
    }
    const named = found.some(isAllZeroId) ? found.filter((identity) => !isAllZeroId(identity)) : found;
    return mayRepeat ? withoutRepeats(named) : named;
  };
}

function withoutRepeats(found: readonly Identity[]): readonly Identity[] | Refusal {
  const values = new Map(found.map(({ type, value }) => [type, value]));
  if (found.some(({ type, value }) => values.get(type) !== value)) return TWO_VALUES;
  return [...values].map(([type, value]) => ({ type, value }));
}

function compileAttributes(plan: EventsPlan, batch: readonly Placed[]): (row: Row) => Attributes | Refusal {
  const attributes = placedIn(batch, 'user_attributes');
  const names = attributes.map(({ destination }) => itemAt(destination.path, destination.path.length - 1));
  const read = attributes.map((each) => compileValue(plan, each));
  const [removed] = placedIn(batch, 'deleted_user_attributes');
  const complete = removed === undefined ? undefined : compileRemoval(names, compileValue(plan, removed));
  return (row) => {
    const texts = new Array<string | null | undefined>(read.length);
    let index = 0;
    for (const write of read) {
      const text = write(row, 0n);
      if (typeof text === 'object') return text;
      // Only a static value can be null: it removes the attribute (D-033).
      texts[index++] = text === 'null' ? null : text;
    }
    return complete === undefined ? { names, texts } : complete(row, texts);
  };
}

function placedIn(batch: readonly Placed[], field: string): readonly Placed[] {
  return batch.filter(({ destination }) => destination.path[0] === field);
}

function compileValue(plan: EventsPlan, placed: Placed): PartWriter {
  const leaf = { kind: 'leaf', path: placed.destination.path.join('.'), ...placed } as const;
  return compileLeaf(leaf, { cellWriter: (node) => compileLeafCell(plan, node) });
}

type Attributes = Person['attributes'];
type Texts = readonly (string | null | undefined)[];

/** Compiles the removal of attributes, which comes after setting them (D-033). Rows that remove the same names share them. */
function compileRemoval(set: readonly string[], read: PartWriter): (row: Row, texts: Texts) => Attributes | Refusal {
  let previous = { text: '[]', names: set, isRemoved: set.map(() => false) };
  return (row, texts) => {
    const text = read(row, 0n) ?? '[]';
    if (typeof text === 'object') return text;
    if (text !== previous.text) {
      const removed = new Set(JSON.parse(text) as readonly string[]);
      const names = [...new Set([...set, ...removed])];
      previous = { text, names, isRemoved: names.map((name) => removed.has(name)) };
    }
    const { names, isRemoved } = previous;
    return { names, texts: names.map((_, index) => (isRemoved[index] === true ? null : texts[index])) };
  };
}

/** Compiles the reader of the person's consent: the consent_state of the batch, at the times it gives (D-034). */
function compileConsent(plan: EventsPlan, batch: readonly Placed[]): PartWriter {
  const consent = placedIn(batch, 'consent_state');
  if (consent.length === 0) return () => undefined;
  const write = compileObject(placeTree(consent, ['consent_state']), {
    root: '',
    requiredFields: (path) => requiredFields(path, undefined),
    cellWriter: (leaf) => compileLeafCell(plan, leaf),
  });
  const runStartMs = msOfMicros(plan.runStart);
  const times = { setAtMs: runStartMs, receivedMs: runStartMs };
  return (row, time) => {
    const text = write(row, time);
    if (typeof text !== 'string') return text;
    return consentText(parseJson(text) as EventBatch['consent_state'], times);
  };
}
