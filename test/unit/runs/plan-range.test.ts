import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMicros, instantFromStore, type Micros, microsOfMs } from '../../../src/kernel/index.ts';
import { type IteratorAxis, iteratorAxis } from '../../../src/mapping/range/iterator-axis.ts';
import { createZone } from '../../../src/mapping/range/wall-clock.ts';
import { planRange, type Range, type RangeInput } from '../../../src/runs/read/plan-range.ts';
import type { ColumnType, IteratorType } from '../../../src/warehouse/index.ts';

const at = (text: string): Micros => instantFromStore(text);

function axisOf(type: IteratorType, columnType: ColumnType, zone = 'UTC'): IteratorAxis {
  return iteratorAxis({ field: 'c', type, zone }, { name: 'c', type: columnType, nativeType: columnType });
}

const base: RangeInput = {
  mode: 'incremental',
  axis: axisOf('timestamp_tz', 'timestamp_tz'),
  position: undefined,
  from: undefined,
  firstStart: undefined,
  until: undefined,
  delayMs: 0,
  lookbackMs: 0,
  ledgerFrom: undefined,
  nominalEnd: at('2024-05-01T10:00:00Z'),
  warehouseNow: at('2024-05-01T10:00:05Z'),
};
const day = 86_400_000;

function shown(input: Partial<RangeInput>): unknown {
  const plan = planRange({ ...base, ...input });
  if (plan.kind === 'whole' || plan.kind === 'wait') return plan;
  const text = (instant: Micros | undefined) => (instant === undefined ? null : formatMicros(instant));
  return [plan.kind, text(plan.range.start), text(plan.range.end)];
}

describe('planRange', () => {
  it('begins at the position, else at from, else where a trigger says, else nowhere', () => {
    const position = at('2024-05-01T09:00:00.123456Z');
    const from = at('2024-04-01T00:00:00Z');
    const firstStart = at('2024-03-01T00:00:00Z');
    const end = '2024-05-01T10:00:00.000000Z';
    expect(shown({ position, from, firstStart })).toEqual(['range', '2024-05-01T09:00:00.123456Z', end]);
    expect(shown({ from, firstStart })).toEqual(['range', '2024-04-01T00:00:00.000000Z', end]);
    expect(shown({ firstStart })).toEqual(['range', '2024-03-01T00:00:00.000000Z', end]);
    expect(shown({})).toEqual(['range', null, end]);
  });

  it('ends at the least of nominal end, warehouse clock minus delay, and until', () => {
    expect(shown({ until: at('2024-05-01T08:00:00Z') })).toEqual(['range', null, '2024-05-01T08:00:00.000000Z']);
    expect(shown({ delayMs: 3_600_000 })).toEqual(['range', null, '2024-05-01T09:00:05.000000Z']);
    expect(shown({ nominalEnd: undefined })).toEqual(['range', null, '2024-05-01T10:00:05.000000Z']);
  });

  it('waits for a warehouse clock that is behind by less than a minute and no longer', () => {
    expect(shown({ warehouseNow: at('2024-05-01T09:59:59.9999Z') })).toEqual({ kind: 'wait', waitMs: 1 });
    expect(shown({ warehouseNow: at('2024-05-01T09:59:00.001Z') })).toEqual({ kind: 'wait', waitMs: 59_999 });
    expect(shown({ warehouseNow: at('2024-05-01T09:59:00Z') })).toEqual(['range', null, '2024-05-01T09:59:00.000000Z']);
  });

  it('is empty when nothing can be new, and leaves the position where it is', () => {
    const position = at('2024-05-01T10:00:00Z');
    expect(shown({ position })).toEqual(['empty', '2024-05-01T10:00:00.000000Z', '2024-05-01T10:00:00.000000Z']);
    const ahead = '2024-05-02T10:00:00.000000Z';
    expect(shown({ position: position + microsOfMs(day), lookbackMs: 5 * day })).toEqual(['empty', ahead, ahead]);
  });

  it('widens the start by the lookback, but not past from nor past the ledger, and never moves it on', () => {
    const position = at('2024-05-01T09:00:00Z');
    const startOf = (input: Partial<RangeInput>) => (shown({ position, lookbackMs: day, ...input }) as unknown[])[1];
    const [from, ledgerFrom] = [at('2024-05-01T00:00:00Z'), at('2024-05-01T03:00:00Z')];
    expect(startOf({})).toBe('2024-04-30T09:00:00.000000Z');
    expect(startOf({ from })).toBe('2024-05-01T00:00:00.000000Z');
    expect(startOf({ ledgerFrom })).toBe('2024-05-01T03:00:00.000000Z');
    expect(startOf({ from, ledgerFrom })).toBe('2024-05-01T03:00:00.000000Z');
    expect(startOf({ from: ledgerFrom, ledgerFrom: from })).toBe('2024-05-01T03:00:00.000000Z');
    expect(startOf({ ledgerFrom: at('2024-05-01T09:30:00Z') })).toBe('2024-05-01T09:00:00.000000Z');
    expect(startOf({ lookbackMs: 0 })).toBe('2024-05-01T09:00:00.000000Z');
    expect(startOf({ position: undefined })).toBeNull();
  });

  it('is empty in full mode where until is not behind from', () => {
    const from = at('2024-04-01T00:00:00Z');
    const kindOf = (input: Partial<RangeInput>) => planRange({ ...base, mode: 'full', ...input }).kind;
    expect(kindOf({ from, until: from + 1n })).toBe('range');
    expect(kindOf({ from, until: from })).toBe('empty');
    expect(kindOf({ from, until: from - 1n })).toBe('empty');
    expect(kindOf({ from })).toBe('range');
    expect(kindOf({ until: from })).toBe('range');
  });

  it('cuts dates to whole days of the declared zone', () => {
    const axis = axisOf('date', 'date', 'Asia/Tokyo');
    expect(shown({ axis, position: at('2024-04-28T15:00:00Z') })).toEqual([
      'range',
      '2024-04-28T15:00:00.000000Z',
      '2024-04-30T15:00:00.000000Z',
    ]);
    expect(axis.bound(at('2024-04-30T15:00:00Z'))).toBe('2024-05-01');
    const midnight = '2024-04-30T15:00:00.000000Z';
    expect(shown({ axis, position: at('2024-04-30T15:00:00Z') })).toEqual(['empty', midnight, midnight]);
  });

  it('reads everything in full mode, or from and until where an iterator gives them a column', () => {
    const from = at('2024-04-01T00:00:00Z');
    expect(shown({ mode: 'full', axis: undefined, from })).toEqual({ kind: 'whole' });
    expect(shown({ mode: 'full' })).toEqual({ kind: 'whole' });
    expect(shown({ mode: 'full', from, position: at('2030-01-01T00:00:00Z') })).toEqual([
      'range',
      '2024-04-01T00:00:00.000000Z',
      null,
    ]);
  });

  it('moves an end inside an hour that is shown twice back to where that hour first begins', () => {
    const axis = axisOf('timestamp', 'timestamp', 'America/Los_Angeles');
    for (const inside of ['2024-11-03T08:00:00Z', '2024-11-03T08:30:00Z', '2024-11-03T09:59:59.999999Z']) {
      expect(formatMicros(axis.floor(at(inside)))).toBe('2024-11-03T08:00:00.000000Z');
    }
    for (const outside of ['2024-11-03T07:59:59.999999Z', '2024-11-03T10:00:00.000000Z']) {
      expect(axis.floor(at(outside))).toBe(at(outside));
    }
    expect(axis.bound(at('2024-11-03T08:00:00Z'))).toBe('2024-11-03T01:00:00.000000');
    expect(axis.bound(at('2024-11-03T10:00:00Z'))).toBe('2024-11-03T02:00:00.000000');
  });

  it('moves a lookback that begins inside an hour that is shown twice back to where that hour first begins', () => {
    const axis = axisOf('timestamp', 'timestamp', 'America/Los_Angeles');
    const position = at('2024-11-04T09:30:00Z');
    const warehouseNow = at('2024-11-05T00:00:00Z');
    expect(shown({ axis, position, lookbackMs: day, nominalEnd: warehouseNow, warehouseNow })).toEqual([
      'range',
      '2024-11-03T08:00:00.000000Z',
      '2024-11-05T00:00:00.000000Z',
    ]);
  });

  it.each([
    ['date', 'date'],
    ['date', 'timestamp'],
    ['timestamp', 'timestamp'],
    ['date', 'timestamp_tz'],
    ['timestamp_tz', 'timestamp_tz'],
    ['timestamp_unixtime_s', 'integer'],
  ] as const)('keeps ranges of %s over %s inside the years that store and warehouse hold', (type, columnType) => {
    const [first, last] = [at('0001-01-01T00:00:00Z'), at('9999-12-31T23:59:59.999999Z')];
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Kiritimati']) {
      const axis = axisOf(type, columnType, zone);
      for (const input of [{ from: first }, { position: first, lookbackMs: day }] as const) {
        const plan = planRange({ ...base, axis, ...input });
        if (plan.kind !== 'range') throw new Error(plan.kind);
        const { start = 0n } = plan.range;
        expect(instantFromStore(formatMicros(start))).toBe(start);
        expect(String(axis.bound(start))).toMatch(/^(-?\d+$|000[1-9]-)/);
        expect(axis.floor(start)).toBe(start);
      }
      const end = axis.floor(last);
      expect(instantFromStore(formatMicros(end))).toBe(end);
      expect(String(axis.bound(end))).toMatch(/^(\d+$|9999-|undefined$)/);
    }
  });

  it('refuses a declaration that the column cannot follow', () => {
    expect(() => axisOf('timestamp', 'text')).toThrow(/needs a date or timestamp/);
    expect(() => axisOf('timestamp_unixtime_ms', 'timestamp')).toThrow(/needs a number/);
  });
});

interface Kind {
  readonly name: string;
  readonly axis: IteratorAxis;
  /** The cell that a row of that instant carries; cells compare as the warehouse compares them. */
  readonly cell: (instant: Micros) => string | bigint;
}

function kinds(zoneName: string): Kind[] {
  const zone = createZone(zoneName);
  const midnight = (instant: Micros) => `${zone.dateOf(instant)}T00:00:00.000000`;
  return [
    {
      name: 'timestamp with zone',
      axis: axisOf('timestamp_tz', 'timestamp_tz', zoneName),
      cell: (instant) => formatMicros(instant).replace('Z', '+00:00'),
    },
    { name: 'timestamp without zone', axis: axisOf('timestamp_ntz', 'timestamp', zoneName), cell: zone.wallOf },
    { name: 'date', axis: axisOf('date', 'date', zoneName), cell: zone.dateOf },
    { name: 'date of a timestamp column', axis: axisOf('date', 'timestamp', zoneName), cell: zone.wallOf },
    { name: 'date at midnight', axis: axisOf('date', 'timestamp', zoneName), cell: midnight },
    {
      name: 'unix seconds',
      axis: axisOf('timestamp_unixtime_s', 'integer', zoneName),
      cell: (instant) => instant / 1_000_000n,
    },
    {
      name: 'unix milliseconds',
      axis: axisOf('timestamp_unixtime_ms', 'integer', zoneName),
      cell: (instant) => instant / 1000n,
    },
  ];
}

// both clock changes of 2024 in either hemisphere, and the hours around one of them in steps of 150 seconds
const CHANGES = ['2024-03-10T10:00:00Z', '2024-11-03T09:00:00Z', '2024-04-06T15:00:00Z', '2024-10-05T15:30:00Z'].map(
  at,
);
const STEP = 150_000_000n;
const rowTimes = fc.array(fc.tuple(fc.integer({ min: -60, max: 60 }), fc.constantFrom(0n, 1n, 999_999n)), {
  maxLength: 40,
});
// time mostly goes on; now and then the clock jumps, back as well
const steps = fc.oneof(
  { weight: 12, arbitrary: fc.nat(12) },
  { weight: 1, arbitrary: fc.integer({ min: -40, max: 40 }) },
);
const attempts = fc.array(
  fc.record({
    steps,
    manual: fc.boolean(),
    fails: fc.constantFrom(false, false, true),
    skewMs: fc.constantFrom(0, 0, 0, 0, -30_000, -600_000, 30_000),
  }),
  { minLength: 5, maxLength: 30 },
);
interface Attempt {
  readonly now: Micros;
  readonly manual: boolean;
  readonly fails: boolean;
  readonly skewMs: number;
}
const HOUR = 3_600_000_000n;

/** The predicate as the warehouse sees it: cells of the column against the two bounds. */
function reader({ axis, cell }: Kind, { start, end }: Range): (row: Micros) => boolean {
  if (end === undefined) throw new Error('An incremental range has an end.');
  const from = start === undefined ? undefined : axis.bound(start);
  const to = axis.bound(end);
  return (row) => (from === undefined || cell(row) >= from) && (to === undefined || cell(row) < to);
}

/** Runs one attempt after the other as the worker does, and counts how often each row arrives. */
function readAll(
  kind: Kind,
  rows: readonly Micros[],
  plan: {
    readonly attempts: readonly Attempt[];
    readonly delayMs: number;
  },
): number[] {
  const seen = rows.map(() => 0);
  let position: Micros | undefined;
  // a row is there once the warehouse's clock has shown its instant
  let newest = 0n;
  for (const { now, manual, fails, skewMs } of plan.attempts) {
    const nominalEnd = (manual ? now : now - (now % HOUR)) - microsOfMs(plan.delayMs);
    const input = { ...base, axis: kind.axis, position, delayMs: plan.delayMs, nominalEnd };
    let warehouseNow = now + microsOfMs(skewMs);
    let range = planRange({ ...input, warehouseNow });
    if (range.kind === 'wait') {
      warehouseNow += microsOfMs(range.waitMs);
      range = planRange({ ...input, warehouseNow });
    }
    if (warehouseNow > newest) newest = warehouseNow;
    if (range.kind !== 'range' || fails) continue;
    const isRead = reader(kind, range.range);
    rows.forEach((row, index) => {
      if (row <= newest && isRead(row)) seen[index] = (seen[index] ?? 0) + 1;
    });
    position = range.range.end;
  }
  return seen;
}

describe('the ranges of any sequence of runs', () => {
  for (const zone of ['UTC', 'America/Los_Angeles', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
    for (const kind of kinds(zone)) {
      it(`cover the time line without gap or overlap: ${kind.name}, ${zone}`, () => {
        const last = { now: at('2025-01-01T00:00:00Z'), manual: true, fails: false, skewMs: 0 };
        fc.assert(
          fc.property(
            fc.record({ change: fc.constantFrom(...CHANGES), delayMs: fc.constantFrom(0, 900_000) }),
            rowTimes,
            attempts,
            ({ change, delayMs }, times, sequence) => {
              const rows = times.map(([offset, micros]) => change + BigInt(offset) * STEP + micros);
              let now = change - 60n * STEP;
              const made = sequence.map((attempt) => {
                now += BigInt(attempt.steps) * STEP;
                return { ...attempt, now };
              });
              expect(readAll(kind, rows, { attempts: [...made, last], delayMs })).toEqual(rows.map(() => 1));
            },
          ),
          { numRuns: 200 },
        );
      });
    }
  }
});
