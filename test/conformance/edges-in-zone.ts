// Runs in a process of its own whose TZ is set: which rows of each iterator type lie in a range. Prints them as JSON.
import { countNullIterators, type IteratorType, type Session, wrapModel } from '../../src/warehouse/index.ts';
import type { Fixture, IteratorColumn } from './fixture.ts';
import { fixtureOf } from './fleet.ts';
import { NEVER, openOn, readAll } from './reading.ts';

interface Edge {
  readonly column: keyof Fixture['iterators'];
  /** The types that mean such a column. */
  readonly types: readonly IteratorType[];
  readonly start: string | bigint;
  readonly end: string | bigint;
  /** before, first, inside, last, end: the third and fourth around a fold of DST where the type has one. */
  readonly values: readonly [string, string, string, string, string];
}

const DAY = '2024-10-27';
const EDGES: readonly Edge[] = [
  {
    column: 'timestamp_tz',
    types: ['timestamp_tz', 'timestamp_ltz'],
    start: `${DAY}T00:30:00.000000+00:00`,
    end: `${DAY}T01:30:00.000001+00:00`,
    values: [
      `${DAY} 00:29:59.999999`,
      `${DAY} 00:30:00`,
      `${DAY} 01:00:00`,
      `${DAY} 01:30:00`,
      `${DAY} 01:30:00.000001`,
    ],
  },
  {
    column: 'timestamp_ntz',
    types: ['timestamp_ntz', 'timestamp'],
    start: `${DAY}T02:30:00.000001`,
    end: `${DAY}T03:00:00.000000`,
    values: [
      `${DAY} 02:30:00`,
      `${DAY} 02:30:00.000001`,
      `${DAY} 02:45:00`,
      `${DAY} 02:59:59.999999`,
      `${DAY} 03:00:00`,
    ],
  },
  {
    column: 'date',
    types: ['date'],
    start: '2024-03-31',
    end: '2024-11-04',
    values: ['2024-03-30', '2024-03-31', '2024-10-27', '2024-11-03', '2024-11-04'],
  },
  {
    column: 'timestamp_unixtime_ms',
    types: ['timestamp_unixtime_ms'],
    start: 1_729_989_000_001n,
    end: 1_729_992_600_000n,
    values: ['1729989000000', '1729989000001', '1729990000000', '1729992599999', '1729992600000'],
  },
  {
    column: 'timestamp_unixtime_s',
    types: ['timestamp_unixtime_s'],
    start: 1_729_989_000n,
    end: 1_729_992_600n,
    values: ['1729988999', '1729989000', '1729990000', '1729992599', '1729992600'],
  },
];
const LABELS: readonly string[] = ['before', 'first', 'inside', 'last', 'end'];

const fixture = fixtureOf(process.argv[2] ?? '');
const { dialect } = fixture.connector;
const tableOf = (edge: Edge) => `edges_${edge.column}`;

function seedOf(edge: Edge): readonly string[] {
  const column: IteratorColumn = fixture.iterators[edge.column];
  const rows = LABELS.map((label, index) => `('${label}', ${column.literal(edge.values[index] ?? '')})`);
  return [
    `CREATE TABLE ${tableOf(edge)} (label VARCHAR(20), moved_at ${column.ddl})`,
    `INSERT INTO ${tableOf(edge)} VALUES ${rows.join(', ')}, ('nothing', NULL)`,
  ];
}

async function labelsIn(session: Session, edge: Edge, type: IteratorType): Promise<readonly unknown[]> {
  const range = { column: 'moved_at', type, start: edge.start, end: edge.end };
  const statement = wrapModel({ sql: `SELECT label, moved_at FROM ${tableOf(edge)}`, dialect, range });
  const { rows } = await readAll(session, { statement, chunkRows: 100, chunkBytes: 1_000_000 });
  return rows.map(([label]) => label).sort((left, right) => place(left) - place(right));
}

function place(label: unknown): number {
  return LABELS.indexOf(String(label));
}

const found: Record<string, unknown> = { zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
await using warehouse = await fixture.start();
await warehouse.seed(EDGES.flatMap(seedOf));
await using session = await openOn(fixture, warehouse);
for (const edge of EDGES) for (const type of edge.types) found[type] = await labelsIn(session, edge, type);
const nulls = countNullIterators('SELECT label, moved_at FROM edges_date', dialect, 'moved_at');
found.nulls = (await readAll(session, { statement: nulls, chunkRows: 1, chunkBytes: 1000 }, NEVER)).rows[0]?.[0];
process.stdout.write(JSON.stringify(found));
