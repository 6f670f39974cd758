import type { BatchToKeep, Events } from '../../events/index.ts';
import type { ResolutionScope } from '../../identity/index.ts';
import { shownValue } from '../cells/failed-row.ts';
import type { Refusal } from '../cells/refusal.ts';
import { compileRowTime } from '../range/row-time.ts';
import { compileRowIdentities } from '../row-identities.ts';
import type { RefusedRow, Row, UnitCollector, UnitFailure, UnitMapping } from '../unit-mapping.ts';
import { batchFor, batchOf, type MappedEvent, type OpenBatch } from './batch-units.ts';
import { compileEvent } from './compile-event.ts';
import { compileHead, type Head } from './compile-head.ts';
import { identitySources, sourceReader } from './compile-person.ts';
import { type EventsPlan, type PlacedMappings, placeMappings } from './events-plan.ts';

export interface EventsMappingPlan extends EventsPlan {
  readonly events: Events;
  readonly scope: ResolutionScope;
}

/**
 * Creates the mapping of an events pipeline. Each row is an event; consecutive rows of one user make a unit, a batch.
 * Throws MODEL_INVALID when columns and transformation do not make events.
 */
export function createEventsMapping(plan: EventsMappingPlan): UnitMapping {
  const placed = placeMappings(plan);
  const collectRows = compileBatches(plan, placed);
  return {
    collect: () => collectBatches(plan, collectRows),
    batchTexts(rows) {
      const texts: string[] = [];
      const taking = collectRows((batch) => texts.push(batchText(batch)));
      for (const row of rows) taking.add(row);
      taking.finish();
      return texts;
    },
    identitiesOf: compileRowIdentities({
      identities: identitySources(placed.batch).map(({ type, source }) => ({ type, read: sourceReader(source) })),
      mpid: mpidReader(placed),
    }),
    refusalOf: (row, failure) => refusalOf(placed, row, failure),
  };
}

const mpidSource = ({ batch }: PlacedMappings) =>
  batch.find(({ destination }) => destination.path[0] === 'mpid')?.source;

function mpidReader(placed: PlacedMappings) {
  const source = mpidSource(placed);
  return source === undefined ? undefined : sourceReader(source);
}

function collectBatches({ events, scope }: EventsMappingPlan, collectRows: CollectRows): UnitCollector {
  const batches = events.collect(scope);
  const taking = collectRows(batches.add);
  return {
    add: taking.add,
    finish() {
      const { starts, ...taken } = taking.finish();
      const prepared = batches.finish();
      return {
        ...taken,
        starts: Int32Array.from(starts),
        deliver: async (tx, exclusive) => (await events.deliver(tx, prepared, exclusive)).outcomes,
      };
    },
  };
}

/** Returns a batch as text with the MPID in front. Only an MPID from the row is known before the log adds the person's own. */
function batchText({ text, person }: BatchToKeep): string {
  return person?.mpid === undefined ? text : `{"mpid":${person.mpid},${text.slice(1)}`;
}

/** The outcome of rows, by their index. */
export interface TakenRows {
  readonly accepted: number[];
  readonly refused: RefusedRow[];
  /** Number of accepted rows before each batch; the total at the end. */
  readonly starts: number[];
  /** Indexes in `accepted` of the rows that set attributes of a person at a time in the future, ascending. */
  readonly ahead: number[];
}

/** Turns rows into batches, one by one. Neither row nor batch lives longer than its preparation. */
export type CollectRows = (onBatch: (batch: BatchToKeep) => void) => {
  add(row: Row): void;
  finish(): TakenRows;
};

export function compileBatches(plan: EventsPlan, placed: PlacedMappings): CollectRows {
  const mapRow = compileRow(plan, placed);
  const { source } = plan;
  const { batchBytes } = plan.limits;
  return (onBatch) => {
    const taken: TakenRows = { accepted: [], refused: [], starts: [0], ahead: [] };
    let open: OpenBatch | undefined;
    let index = 0;
    const close = () => {
      if (open === undefined) return;
      taken.starts.push(taken.accepted.length);
      onBatch(batchOf(open, source));
    };
    const take = (mapped: MappedEvent): Refusal | undefined => {
      const batch = batchFor(mapped, open, batchBytes);
      if ('rule' in batch) return batch;
      if (open !== batch) close();
      open = batch;
      if (isAhead(mapped)) taken.ahead.push(taken.accepted.length);
      taken.accepted.push(index);
      return undefined;
    };
    return {
      add(row) {
        const mapped = mapRow(row);
        const refusal = 'rule' in mapped ? mapped : take(mapped);
        if (refusal !== undefined) taken.refused.push({ row, index, refusal });
        index++;
      },
      finish() {
        close();
        open = undefined;
        return taken;
      },
    };
  };
}

/** Tells whether a row sets attributes at a time in the future. Events may lie in the future, attributes may not. */
function isAhead({ head: { person }, time, setAt }: MappedEvent): boolean {
  return time !== setAt && person.attributes.names.length > 0;
}

function compileRow(plan: EventsPlan, placed: PlacedMappings): (row: Row) => MappedEvent | Refusal {
  const readHead = compileHead(plan, placed.batch);
  const writeEvent = compileEvent(plan, placed);
  const readTime = compileRowTime(plan);
  const isSameUser = compileComparison(placed);
  let previousRow: Row = [];
  let previous: Head | undefined;
  return (row) => {
    const head = previous !== undefined && isSameUser(previousRow, row) ? previous : readHead(row);
    if ('rule' in head) return head;
    previousRow = row;
    previous = head;
    const read = readTime(row);
    if ('rule' in read) return read;
    const event = writeEvent(row, read.time) ?? '';
    return typeof event === 'object' ? event : { head, event, ...read };
  };
}

/**
 * Compiles the comparison of two rows' heads. Equal cells make equal heads. Lists and bytes never compare equal here: their
 * heads are compared instead.
 */
function compileComparison({ batch }: PlacedMappings): (one: Row, other: Row) => boolean {
  const positions = batch.flatMap(({ source }) => (source.kind === 'column' ? [source.position] : []));
  return (one, other) => {
    for (const position of positions) if (one[position] !== other[position]) return false;
    return true;
  };
}

/**
 * Returns a unit's failure as the refusal of a row. It names the column, because users look for that, not for the identity
 * type.
 */
function refusalOf(placed: PlacedMappings, row: Row, { rule, field, reason }: UnitFailure): Refusal {
  const source =
    field === 'mpid' ? mpidSource(placed) : identitySources(placed.batch).find(({ type }) => type === field)?.source;
  if (source?.kind !== 'column') return { rule, field, value: null, reason };
  return { rule, field: source.column.name, value: shownValue(row[source.position] ?? null), reason };
}
