import { setImmediate } from 'node:timers/promises';
import type { BatchToKeep, Events } from '../../events/index.ts';
import type { ResolutionScope } from '../../identity/index.ts';
import type { Micros } from '../../kernel/index.ts';
import { type BatchBuilder, createBatchBuilder } from './batch-units.ts';
import { compileEvent } from './compile-event.ts';
import { compileHead, type Head } from './compile-head.ts';
import { identitySources } from './compile-person.ts';
import { type EventsPlan, type PlacedMappings, placeMappings } from './events-plan.ts';
import { shownValue } from './failed-row.ts';
import { SLICE_ROWS } from './people-mapping.ts';
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
      const { accepted, refused, builder } = await mapRows(rows);
      const { batches, starts } = builder.finish();
      const prepared = await events.prepare(scope, batches);
      return {
        ...{ rows: accepted, starts, refused },
        batchTexts: () => batches.map(batchText),
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

interface MappedEvents {
  readonly accepted: Row[];
  readonly refused: RefusedRow[];
  readonly builder: BatchBuilder;
}

/** Rows → batches, pure. */
export function compileBatches(
  plan: EventsPlan,
  placed: PlacedMappings,
): (rows: readonly Row[]) => Promise<MappedEvents> {
  const takeRow = compileRow(plan, placed);
  return async (rows) => {
    const mapped: MappedEvents = { accepted: [], refused: [], builder: createBatchBuilder(plan.limits.batchBytes) };
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as Row;
      const refusal = takeRow(row, mapped.builder);
      if (refusal === undefined) mapped.accepted.push(row);
      else mapped.refused.push({ row, refusal });
      if (index % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
    }
    return mapped;
  };
}

function compileRow(
  plan: EventsPlan,
  placed: PlacedMappings,
): (row: Row, builder: BatchBuilder) => Refusal | undefined {
  const readHead = compileHead(plan, placed.batch);
  const writeEvent = compileEvent(plan, placed);
  const timeOf = compileTime(plan);
  const isSameUser = compileComparison(placed);
  let previousRow: Row = [];
  let previous: Head | undefined;
  return (row, builder) => {
    const head = previous !== undefined && isSameUser(previousRow, row) ? previous : readHead(row);
    if ('rule' in head) return head;
    previousRow = row;
    previous = head;
    const time = timeOf(row);
    const event = writeEvent(row, time) ?? '';
    return typeof event === 'object' ? event : builder.add(head, event, time);
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
