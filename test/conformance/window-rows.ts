// Rows whose instants lie where windows go wrong: on a boundary and a microsecond beside it, in hours that a clock shows
// twice or never, before 1970, NULL. The same seed makes the same rows in every process.

import { formatMicros, type Micros } from '../../src/kernel/index.ts';
import { createZone } from '../../src/mapping/range/wall-clock.ts';
import type { Cell } from '../../src/warehouse/index.ts';
import { seededRandom } from '../support/crashes/seeded-random.ts';
import { type Filling, iteratorColumn, PLAIN } from './fill-table.ts';
import type { Fixture } from './fixture.ts';

export const WINDOW_ROWS = 10_000;
/** Of the wall clocks in the table. */
const WALL_ZONE = createZone('America/New_York');
const HOUR = 3_600_000_000n;
const YEAR = 365n * 24n * HOUR;
const at = (text: string): Micros => BigInt(Date.parse(text)) * 1000n;
/** Starts of two hours around a jump of some clock. */
const JUMPS = [
  '2024-11-03T05:00:00Z', // New York shows 01:00 to 02:00 twice
  '2024-03-10T06:00:00Z', // and skips 02:00 to 03:00
  '2024-04-06T14:30:00Z', // Lord Howe Island shows half an hour twice
  '2024-10-27T00:00:00Z', // Berlin
].map(at);

/** Instants that windows begin and end at, unsorted. */
export function drawBoundaries(seed: number): readonly Micros[] {
  const random = seededRandom(seed);
  const within = (span: bigint) => BigInt(Math.floor(random() * Number(span)));
  return [
    -within(30n * YEAR),
    0n,
    ...JUMPS.map((jump) => jump + within(2n * HOUR)),
    at('2024-01-01T00:00:00Z') + within(YEAR),
    (at('2024-06-01T00:00:00Z') / HOUR) * HOUR,
  ];
}

/** The instant of each row. */
export function drawInstants(seed: number): readonly (Micros | null)[] {
  const random = seededRandom(seed + 1);
  const boundaries = drawBoundaries(seed);
  const within = (span: bigint) => BigInt(Math.floor(random() * Number(span)));
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const kinds: readonly (() => Micros | null)[] = [
    () => null,
    () => pick(boundaries),
    () => pick(boundaries) + pick([-1n, 1n]),
    () => pick(boundaries) + pick([-1000n, 1000n, -1_000_000n, 1_000_000n]),
    () => pick(JUMPS) + within(2n * HOUR),
    () => -within(60n * YEAR),
    () => at('2020-01-01T00:00:00Z') + within(6n * YEAR),
  ];
  return Array.from({ length: WINDOW_ROWS }, () => pick(kinds)());
}

export type WindowColumn = keyof Fixture['iterators'];
export const WINDOW_COLUMNS: readonly WindowColumn[] = [
  'timestamp_tz',
  'timestamp_ntz',
  'date',
  'timestamp_unixtime_ms',
  'timestamp_unixtime_s',
];

/** What stands in the column for that instant, as the connector hands it out. */
export function cellOf(column: WindowColumn, instant: Micros): Cell {
  if (column === 'timestamp_tz') return formatMicros(instant);
  if (column === 'timestamp_ntz') return WALL_ZONE.wallOf(instant);
  if (column === 'date') return WALL_ZONE.dateOf(instant);
  return floorDivide(instant, column === 'timestamp_unixtime_ms' ? 1000n : 1_000_000n);
}

/** The table `windows`. */
export function windowTable(fixture: Fixture, seed: number): Filling {
  const textOf = (column: WindowColumn, instant: Micros | null) =>
    instant === null ? null : String(cellOf(column, instant)).replace('T', ' ').replace('Z', '');
  return {
    name: 'windows',
    columns: [
      { name: 'id', ddl: 'INTEGER', literal: PLAIN },
      ...WINDOW_COLUMNS.map((column) => iteratorColumn(fixture, `by_${column}`, column)),
    ],
    rows: drawInstants(seed).map((instant, id) => [
      String(id),
      ...WINDOW_COLUMNS.map((column) => textOf(column, instant)),
    ]),
  };
}

function floorDivide(value: bigint, unit: bigint): bigint {
  const rest = value % unit;
  return (value - (rest < 0n ? rest + unit : rest)) / unit;
}
