import type { BatchToKeep } from '../../../src/events/index.ts';
import { instantFromStore, type Json, parseJson } from '../../../src/kernel/index.ts';
import { compileBatches } from '../../../src/mapping/events/events-mapping.ts';
import { type EventsPlan, placeMappings } from '../../../src/mapping/events/events-plan.ts';
import { createZone } from '../../../src/mapping/range/wall-clock.ts';
import type { RefusedRow } from '../../../src/mapping/unit-mapping.ts';
import type { FieldMapping } from '../../../src/pipelines/index.ts';
import type { Cell, Column, ColumnType } from '../../../src/warehouse/index.ts';

export const RUN_START = instantFromStore('2024-06-01T00:00:00Z');
export const RUN_START_MS = Date.parse('2024-06-01T00:00:00Z');

export function column(name: string, type: ColumnType = 'text', item?: Column): Column {
  return { name, type, nativeType: type.toUpperCase(), ...(item === undefined ? {} : { item }) };
}

export const fromColumn = (source: string, destination: string): FieldMapping => ({
  type: 'column',
  source,
  destination,
});
export const always = (value: Json, destination: string): FieldMapping => ({ type: 'static', value, destination });

/** A plan with the default limits, without iterator, data plan and any mapping but those given. */
export function eventsPlan(
  columns: readonly Column[],
  mappings: readonly FieldMapping[],
  rest: Partial<EventsPlan> = {},
): EventsPlan {
  return {
    ...{ columns, mappings, environment: 'production', dataPlan: undefined, iterator: undefined },
    limits: {
      ...{ nameChars: 256, valueChars: 4096, batchBytes: 131_072 },
      ...{ attributesPerEvent: 100, userAttributesPerBatch: 100 },
    },
    ...{
      zone: createZone('UTC'),
      runStart: RUN_START,
      nowMs: () => RUN_START_MS + 60_000,
      source: { kind: 'pipeline', number: 1n },
    },
    ...rest,
  };
}

export interface MappedEvents {
  readonly batches: readonly BatchToKeep[];
  readonly starts: readonly number[];
  readonly refused: readonly RefusedRow[];
  readonly ahead: readonly number[];
}

export async function mapEvents(plan: EventsPlan, rows: readonly (readonly Cell[])[]): Promise<MappedEvents> {
  const batches: BatchToKeep[] = [];
  const collector = compileBatches(plan, placeMappings(plan))((batch) => batches.push(batch));
  for (const row of rows) collector.add(row);
  const { starts, refused, ahead } = collector.finish();
  return { batches, starts, refused, ahead };
}

/** A batch as its receiver reads it. */
export type ReadBatch = Record<string, Json> & {
  readonly events: readonly { readonly event_type: string; readonly data: Record<string, Json> }[];
};

export const readBatch = ({ text }: BatchToKeep): ReadBatch => parseJson(text) as unknown as ReadBatch;

/** Mappings that make a valid event of no column at all. */
export const CUSTOM = [
  always('custom_event', 'events.event_type'),
  always('other', 'events.data.custom_event_type'),
  always('seen', 'events.data.event_name'),
];
export const PURCHASE = [
  always('commerce_event', 'events.event_type'),
  always('purchase', 'events.data.product_action.action'),
];
export const EMAIL = fromColumn('email', 'user_identities.email');

/** A step of a path; in a list its first item. */
export function stepInto(value: Json | undefined, step: string): Json | undefined {
  const object = Array.isArray(value) ? (value as readonly Json[])[0] : value;
  return (object as Record<string, Json> | undefined)?.[step];
}
