import { EVENT_TYPES, findDestination, missingFields, requiredFields } from '../../events/index.ts';
import { shownValue } from '../cells/failed-row.ts';
import { cellReader } from '../cells/json-cell.ts';
import { compileObject, type PartWriter } from '../cells/object-text.ts';
import type { Refusal } from '../cells/refusal.ts';
import type { Row } from '../unit-mapping.ts';
import { compileLeafCell, limitProblem } from './compile-leaf.ts';
import { type EventsPlan, invalid, type PlacedMappings } from './events-plan.ts';
import { type ColumnSource, type Placed, placeTree } from './place-tree.ts';

const EVENT_TYPE = 'events.event_type';
const TIME = 'events.data.timestamp_unixtime_ms';
const DATA = ['events', 'data'];

/**
 * Compiles the writer of a row's event: for the one fixed kind, or for each kind at its first row. The event's time is the
 * row's, where no mapping sets another.
 * Throws MODEL_INVALID when the fixed kind cannot be made.
 */
export function compileEvent(plan: EventsPlan, { eventType, data }: PlacedMappings): PartWriter {
  if (eventType.kind !== 'column') {
    const kind = eventType.kind === 'static' ? String(eventType.value) : '';
    const compiled = compileKind(plan, kind, data);
    if ('problem' in compiled) throw invalid(compiled.problem);
    return compiled.write;
  }
  const read = cellReader(eventType.column, eventType.position);
  const kinds = new Map<string, () => CompiledKind>(
    EVENT_TYPES.map((kind) => [kind, lazily(() => compileKind(plan, kind, data))]),
  );
  return (row, time) => {
    const kind = String(read(row) ?? '');
    const compiled = kinds.get(kind)?.() ?? unknownKind(kind);
    return 'problem' in compiled ? refuseKind(eventType, row, compiled.problem) : compiled.write(row, time);
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

type CompiledKind = { readonly write: PartWriter } | { readonly problem: string };

function unknownKind(kind: string): CompiledKind {
  return { problem: `The event_type "${shownValue(kind.slice(0, 100))}" is not one of ${EVENT_TYPES.join(', ')}.` };
}

function refuseKind({ column, position }: ColumnSource, row: Row, reason: string): Refusal {
  return { rule: 'event_type', field: column.name, value: shownValue(row[position] ?? null), reason };
}

function compileKind(plan: EventsPlan, kind: string, data: PlacedMappings['data']): CompiledKind {
  if (!EVENT_TYPES.some((known) => known === kind)) return unknownKind(kind);
  const { placed, homeless } = placeData(kind, data);
  const paths = placed.map(({ destination }) => destination.path.join('.'));
  const missing = missingFields(kind, [EVENT_TYPE, ...paths]);
  if (missing.length > 0) {
    return { problem: `A ${kind} needs ${missing.join(', ')}, and the field transformation maps nothing there.` };
  }
  const problem = limitProblem(placed, plan.limits);
  if (problem !== undefined) return { problem };
  return {
    write: compileWrapper(plan, kind, { placed: paths.includes(TIME) ? placed : [...placed, OWN_TIME], homeless }),
  };
}

const OWN_TIME: Placed = {
  source: { kind: 'time' },
  destination: {
    path: [...DATA, 'timestamp_unixtime_ms'],
    leaf: { kind: 'Integer', nullable: true, list: 'never' },
    lists: [0],
    named: false,
  },
};

interface PlacedData {
  readonly placed: readonly Placed[];
  /** Columns for which the kind has no field. */
  readonly homeless: readonly { readonly source: ColumnSource; readonly path: string }[];
}

/**
 * Sorts the mappings by whether this kind has their field. A static value without a field is skipped: it is meant for other
 * kinds.
 */
function placeData(kind: string, data: PlacedMappings['data']): PlacedData {
  const placed: Placed[] = [];
  const homeless: { source: ColumnSource; path: string }[] = [];
  for (const { path, source } of data) {
    const destination = findDestination(path, kind);
    if (!('problem' in destination)) placed.push({ source, destination });
    else if (source.kind === 'column') homeless.push({ source, path });
  }
  return { placed, homeless };
}

function compileWrapper(plan: EventsPlan, kind: string, { placed, homeless }: PlacedData): PartWriter {
  const writeData = compileObject(placeTree(placed, DATA), {
    root: DATA.join('.'),
    timePath: TIME,
    requiredFields: (path) => requiredFields(path, kind),
    cellWriter: (leaf) => compileLeafCell(plan, leaf),
  });
  const front = `{"event_type":${JSON.stringify(kind)},"data":`;
  return (row, time) => {
    for (const { source, path } of homeless) {
      if ((row[source.position] ?? null) !== null) return nowhere(source, row, { kind, path });
    }
    const text = writeData(row, time);
    return typeof text === 'object' ? text : `${front}${text ?? '{}'}}`;
  };
}

/** Refuses a value without a field in its kind. Leaving it out would lose it silently. */
function nowhere(
  { column, position }: ColumnSource,
  row: Row,
  { kind, path }: { kind: string; path: string },
): Refusal {
  const reason = `A ${kind} has no ${path}. Make the column NULL in such rows of the model.`;
  return { rule: 'value_nowhere', field: column.name, value: shownValue(row[position] ?? null), reason };
}
