import { describe, expect, test } from 'vitest';
import { instantFromStore } from '../../../src/kernel/index.ts';
import { type IteratorDeclaration, iteratorAxis } from '../../../src/mapping/range/iterator-axis.ts';
import type { SyncMode } from '../../../src/pipelines/index.ts';
import { earlyRows } from '../../../src/runs/ledger/early-rows.ts';
import type { RunSnapshot } from '../../../src/runs/lifecycle/run-snapshot.ts';
import type { Cell, Column } from '../../../src/warehouse/index.ts';

const END = instantFromStore('2026-03-29T12:00:00.000000Z');
const START = instantFromStore('2026-03-01T00:00:00.000000Z');

interface Given {
  readonly column: Column['type'];
  readonly declared: IteratorDeclaration['type'];
  readonly zone?: string;
  readonly lookback?: string;
  readonly type?: SyncMode['type'];
  readonly start?: typeof START | undefined;
}

function inputOf({ column: type, declared, zone = 'UTC', lookback = '1d', ...rest }: Given) {
  const column: Column = { name: 'at', type, nativeType: type };
  const axis = iteratorAxis({ field: 'at', type: declared, zone }, column);
  const syncMode: SyncMode = { type: rest.type ?? 'incremental', ...(lookback !== '' && { lookback }) };
  return {
    pipeline: { syncMode } as RunSnapshot['pipeline'],
    columns: [{ name: 'n', type: 'integer', nativeType: 'INT' }, column] as const,
    iterator: { column, axis },
    ...{ start: 'start' in rest ? rest.start : START, end: END },
  };
}

function earlyOf(given: Given) {
  const { start, end, ...input } = inputOf(given);
  return earlyRows({ ...input, range: { kind: 'range', range: { start, end } } });
}

describe('rows that a lookback does not reach', () => {
  test.each<[string, Given, { readonly early: readonly Cell[]; readonly late: readonly Cell[] }]>([
    [
      'times with a zone',
      { column: 'timestamp_tz', declared: 'timestamp_tz' },
      {
        early: ['2026-03-28T11:59:59.999999Z', '2026-03-01T00:00:00.000000Z'],
        late: ['2026-03-28T12:00:00.000000Z', '-infinity', 'infinity', '-0044-03-15T00:00:00.000000Z', null],
      },
    ],
    [
      'wall times, across a change of the clock',
      { column: 'timestamp', declared: 'timestamp_ntz', zone: 'Europe/Berlin' },
      // the lookback is 24 hours, of which the wall clock shows 25
      {
        early: ['2026-03-28T12:59:59.999999'],
        late: ['2026-03-28T13:00:00.000000', '2026-03-29T02:30:00.000000', '+12026-03-01T00:00:00.000000'],
      },
    ],
    [
      'dates, by whole days',
      { column: 'date', declared: 'date' },
      {
        early: ['2026-03-27'],
        late: ['2026-03-28', '2026-03-29', '-infinity', '20260301'],
      },
    ],
    [
      'times that are cut to whole days',
      { column: 'timestamp_tz', declared: 'date', zone: 'Europe/Berlin' },
      {
        early: ['2026-03-27T22:59:59.999999Z'],
        late: ['2026-03-27T23:00:00.000000Z'],
      },
    ],
    [
      'milliseconds',
      { column: 'integer', declared: 'timestamp_unixtime_ms' },
      {
        early: [Date.UTC(2026, 2, 28, 12) - 1, BigInt(Date.UTC(2026, 2, 28, 12)) - 1n],
        late: [Date.UTC(2026, 2, 28, 12), BigInt(Date.UTC(2026, 2, 28, 12)), Number.NaN, '5'],
      },
    ],
    [
      'what is of no known type',
      { column: 'unknown', declared: 'timestamp_ntz' },
      {
        early: [],
        late: ['2026-03-01T00:00:00.000000', '2026-03-28 11:59:59.000000'],
      },
    ],
  ])('%s', (_what, given, { early, late }) => {
    const rows = earlyOf(given);
    expect(early.map((cell) => rows?.isEarly([1, cell]))).toEqual(early.map(() => true));
    expect(late.map((cell) => rows?.isEarly([1, cell]))).toEqual(late.map(() => false));
  });

  test.each<[string, Partial<Given>]>([
    ['without a lookback', { lookback: '' }],
    ['in a full run', { type: 'full' }],
    [
      'where the lookback is as long as the range',
      { lookback: '28d', start: instantFromStore('2026-03-01T12:00:00Z') },
    ],
    ['where the lookback is longer than the range', { lookback: '5w' }],
  ])('are told apart by nobody %s', (_when, changes) => {
    expect(earlyOf({ column: 'timestamp_tz', declared: 'timestamp_tz', ...changes })).toBeUndefined();
  });

  test('are told apart by nobody in a run of the whole model, without an iterator, or without an end', () => {
    const { pipeline, columns, iterator, end } = inputOf({ column: 'timestamp_tz', declared: 'timestamp_tz' });
    const range = { kind: 'range', range: { start: START, end } } as const;
    expect(earlyRows({ pipeline, columns, iterator, range })).toBeDefined();
    expect(earlyRows({ pipeline, columns, iterator: undefined, range })).toBeUndefined();
    expect(earlyRows({ pipeline, columns, iterator, range: { kind: 'whole' } })).toBeUndefined();
    const endless = { kind: 'range', range: { start: START, end: undefined } } as const;
    expect(earlyRows({ pipeline, columns, iterator, range: endless })).toBeUndefined();
  });

  test('are there however long ago the first row may be', () => {
    expect(earlyOf({ column: 'date', declared: 'date', lookback: '4w', start: undefined })).toBeDefined();
  });
});
