import { describe, expect, it } from 'vitest';
import { zoneWarnings } from '../../../src/pipelines/checks/zone-warnings.ts';
import type { FieldMapping, SyncMode } from '../../../src/pipelines/index.ts';
import type { Column, IteratorType } from '../../../src/warehouse/index.ts';

type Iterator = NonNullable<SyncMode['iterator']>;

const COLUMNS: readonly Column[] = [
  { name: 'Wall', type: 'timestamp', nativeType: 'TIMESTAMP' },
  { name: 'instant', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' },
  { name: 'day', type: 'date', nativeType: 'DATE' },
];
const iteratorOf = (field: string, type: IteratorType, timeZone?: string): Iterator => {
  return { field, type, declaredType: type, ...(timeZone !== undefined && { timeZone }) };
};
const told = (iterator: Iterator | undefined, mappings: readonly FieldMapping[] | null = null) =>
  zoneWarnings(COLUMNS, {
    syncMode: { type: 'full', ...(iterator !== undefined && { iterator }) },
    transformation: mappings === null ? null : { id: 't', mappings },
  }).map(({ message }) => message);
const to = (source: string, field: string): FieldMapping => {
  return { type: 'column', source, destination: `events.data.${field}` };
};

describe('times without a zone', () => {
  it('are told of where they are the iterator, however it is declared', () => {
    for (const type of ['timestamp', 'timestamp_ntz', 'timestamp_tz', 'timestamp_ltz'] as const) {
      expect(told(iteratorOf('wall', type))).toEqual([
        expect.stringMatching(
          /^The times of the column "Wall" \(TIMESTAMP\) have no time zone and count as UTC\..*iterator_time_zone/,
        ),
      ]);
      expect(told(iteratorOf('instant', type))).toEqual([]);
      expect(told(iteratorOf('wall', type, 'Europe/Berlin'))).toEqual([]);
    }
    expect(told(iteratorOf('day', 'date'))).toEqual([]);
    expect(told(iteratorOf('gone', 'timestamp_tz'))).toEqual([]);
  });

  it('are told of where they are mapped to milliseconds since 1970, each column once', () => {
    const mappings = [
      to('wall', 'timestamp_unixtime_ms'),
      to('wall', 'session_start_unixtime_ms'),
      to('day', 'added_to_cart_time_ms'),
    ];
    expect(told(undefined, mappings)).toEqual([expect.stringMatching(/"Wall".*Convert them in the model\.$/)]);
    expect(told(iteratorOf('wall', 'timestamp_tz'), mappings)).toHaveLength(1);
    expect(told(iteratorOf('instant', 'timestamp_tz', 'UTC'), mappings)).toEqual([]);
    expect(told(undefined, [to('wall', 'event_name'), to('instant', 'timestamp_unixtime_ms')])).toEqual([]);
    expect(told(undefined, [{ type: 'static', value: 1n, destination: 'events.data.timestamp_unixtime_ms' }])).toEqual(
      [],
    );
  });
});
