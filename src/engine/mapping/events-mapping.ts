import type { BatchToKeep, Events } from '../../events/index.ts';
import type { ResolutionScope } from '../../identity/index.ts';
import type { Micros } from '../../kernel/index.ts';
import { batchFor, batchOf, type MappedEvent, type OpenBatch } from './batch-units.ts';
import { compileEvent } from './compile-event.ts';
import { compileHead, type Head } from './compile-head.ts';
import { identitySources } from './compile-person.ts';
import { type EventsPlan, type PlacedMappings, placeMappings } from './events-plan.ts';
import { shownValue } from './failed-row.ts';
import type { Refusal } from './refusal.ts';
import type { MappedRows, RefusedRow, Row, UnitFailure, UnitMapping } from './unit-mapping.ts';

export interface EventsMappingPlan extends EventsPlan {
  readonly events: Events;
  readonly scope: ResolutionScope;
}

/**
 * events pipelines: each row is an event, and rows of one user that follow each other are a unit, a batch. Throws
 * MODEL_INVALID when columns and transformation do not make events.
 */
export function createEventsMapping(plan: EventsMappingPlan): UnitMapping {
  const { events, scope } = plan;
  const placed = placeMappings(plan);
  const mapRows = compileBatches(plan, placed);
  return {
    async map(rows): Promise<MappedRows> {
      const taken = newTakenRows();
      const prepared = await events.prepare(scope, mapRows(rows, taken));
      const { accepted, refused, starts } = taken;
      return {
        ...{ rows: accepted, starts: Int32Array.from(starts), refused },
        batchTexts: () => Array.from(mapRows(accepted, newTakenRows()), batchText),
        deliver: async (tx, exclusive) => (await events.deliver(tx, prepared, exclusive)).outcomes,
      };
    },
    refusalOf: (row, failure) => refusalOf(placed, row, failure),
  };
}

/** The log puts the person's own MPID in front; known before is only the one that came with the row. */
function batchText({ text, person }: BatchToKeep): string {
  return person?.mpid === undefined ? text : `{"mpid":${person.mpid},${text.slice(1)}`;
}

/** What became of rows that were mapped, filled while batches are asked for. */
export interface TakenRows {
  readonly accepted: Row[];
  readonly refused: RefusedRow[];
  /** Of each batch the number of accepted rows before it; the number of all at the end. */
  readonly starts: number[];
}

export const newTakenRows = (): TakenRows => ({ accepted: [], refused: [], starts: [0] });

/** Rows → batches, pure and one by one: a batch need not live longer than it takes to prepare it. */
export function compileBatches(
  plan: EventsPlan,
  placed: PlacedMappings,
): (rows: readonly Row[], taken: TakenRows) => Generator<BatchToKeep, void, undefined> {
  const mapRow = compileRow(plan, placed);
  const { source } = plan;
  const { batchBytes } = plan.limits;
  const batchOfRow = (row: Row, open: OpenBatch | undefined) => {
    const mapped = mapRow(row);
    return 'rule' in mapped ? mapped : batchFor(mapped, open, batchBytes);
  };
  return function* mapRows(rows, { accepted, refused, starts }) {
    let open: OpenBatch | undefined;
    for (const row of rows) {
      const batch = batchOfRow(row, open);
      if ('rule' in batch) {
        refused.push({ row, refusal: batch });
        continue;
      }
      if (open !== undefined && open !== batch) {
        starts.push(accepted.length);
        yield batchOf(open, source);
      }
      open = batch;
      accepted.push(row);
    }
    if (open === undefined) return;
    starts.push(accepted.length);
    yield batchOf(open, source);
  };
}

function compileRow(plan: EventsPlan, placed: PlacedMappings): (row: Row) => MappedEvent | Refusal {
  const readHead = compileHead(plan, placed.batch);
  const writeEvent = compileEvent(plan, placed);
  const timeOf = compileTime(plan);
  const isSameUser = compileComparison(placed);
  let previousRow: Row = [];
  let previous: Head | undefined;
  return (row) => {
    const head = previous !== undefined && isSameUser(previousRow, row) ? previous : readHead(row);
    if ('rule' in head) return head;
    previousRow = row;
    previous = head;
    const time = timeOf(row);
    const event = writeEvent(row, time) ?? '';
    return typeof event === 'object' ? event : { head, event, time };
  };
}

/** Cells that are the same value make the same head; lists and bytes are compared by what they make. */
function compileComparison({ batch }: PlacedMappings): (one: Row, other: Row) => boolean {
  const positions = batch.flatMap(({ source }) => (source.kind === 'column' ? [source.position] : []));
  return (one, other) => {
    for (const position of positions) if (one[position] !== other[position]) return false;
    return true;
  };
}

function compileTime({ iterator, columns, runStart }: EventsPlan): (row: Row) => Micros {
  if (iterator === undefined) return () => runStart;
  const position = columns.indexOf(iterator.column);
  const { axis } = iterator;
  return (row) => axis.instantOf(row[position] ?? null) ?? runStart;
}

/** People look for the column, not for the identity type. */
function refusalOf({ batch }: PlacedMappings, row: Row, { rule, field, reason }: UnitFailure): Refusal {
  const source =
    field === 'mpid'
      ? batch.find(({ destination }) => destination.path[0] === 'mpid')?.source
      : identitySources(batch).find(({ type }) => type === field)?.source;
  if (source?.kind !== 'column') return { rule, field, value: null, reason };
  return { rule, field: source.column.name, value: shownValue(row[source.position] ?? null), reason };
}
