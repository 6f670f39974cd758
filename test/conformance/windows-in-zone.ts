// Runs in a process of its own whose TZ is set: reads the table of windows.test.ts window by window and prints, as JSON,
// what came in another window than it should, not at all or twice. `node windows-in-zone.ts PRODUCT SITE SEED ZONE`.

import type { Micros } from '../../src/kernel/index.ts';
import { type IteratorAxis, iteratorAxis } from '../../src/mapping/range/iterator-axis.ts';
import {
  countNullIterators,
  findColumn,
  type IteratorType,
  type Session,
  wrapModel,
} from '../../src/warehouse/index.ts';
import type { Warehouse } from './fixture.ts';
import { fixtureOf } from './fleet.ts';
import { NEVER, readAll, requestOf, statement } from './reading.ts';
import { cellOf, drawBoundaries, drawInstants, type WindowColumn } from './window-rows.ts';

const READS: readonly (readonly [WindowColumn, IteratorType])[] = [
  ['timestamp_tz', 'timestamp_tz'],
  ['timestamp_tz', 'date'],
  ['timestamp_ntz', 'timestamp'],
  ['date', 'date'],
  ['timestamp_unixtime_ms', 'timestamp_unixtime_ms'],
  ['timestamp_unixtime_s', 'timestamp_unixtime_s'],
];

const [product = '', site = '', seed = '', zone = ''] = process.argv.slice(2);
const fixture = fixtureOf(product);
const { connector } = fixture;
const { dialect } = connector;
const instants = drawInstants(Number(seed));
const wrong: string[] = [];

async function readWindows(session: Session, column: WindowColumn, type: IteratorType): Promise<void> {
  const sql = `SELECT id, by_${column} FROM windows`;
  const found = findColumn(await session.describe(statement(sql), NEVER), `by_${column}`);
  if (found === undefined) throw new Error(`The table has no column by_${column}.`);
  const axis = iteratorAxis({ field: found.name, type, zone }, found);
  const boundaries = [...new Set(drawBoundaries(Number(seed)).map((instant) => axis.floor(instant)))].sort(byTime);
  const came = new Map<number, number[]>();
  for (let window = 0; window <= boundaries.length; window++) {
    const [start, end] = [boundaries[window - 1], boundaries[window]].map((at) => boundOf(axis, at));
    const range = { column: found.name, type: axis.boundType, start, end };
    const { rows } = await readAll(session, { ...requestOf(''), statement: wrapModel({ sql, dialect, range }) });
    for (const [id] of rows) came.set(Number(id), [...(came.get(Number(id)) ?? []), window]);
  }
  compare(`${column} as ${type}`, came, (id) => expectedWindow(axis, boundaries, { column, id }));
  const nulls = countNullIterators(sql, dialect, found.name);
  const [[counted] = []] = (await readAll(session, { ...requestOf(''), statement: nulls })).rows;
  const expected = instants.filter((instant) => instant === null).length;
  if (Number(counted) !== expected) wrong.push(`${column}: ${counted} NULLs in place of ${expected}`);
}

function boundOf(axis: IteratorAxis, instant: Micros | undefined) {
  return instant === undefined ? undefined : axis.bound(instant);
}

interface Place {
  readonly column: WindowColumn;
  readonly id: number;
}

function expectedWindow(axis: IteratorAxis, boundaries: readonly Micros[], { column, id }: Place): number | undefined {
  const instant = instants[id] ?? null;
  const means = instant === null ? undefined : axis.instantOf(cellOf(column, instant));
  return means === undefined ? undefined : boundaries.filter((boundary) => boundary <= means).length;
}

function compare(
  what: string,
  came: ReadonlyMap<number, readonly number[]>,
  expected: (id: number) => number | undefined,
) {
  for (const id of instants.keys()) {
    const [windows, window] = [came.get(id) ?? [], expected(id)];
    const isRight = window === undefined ? windows.length === 0 : windows.length === 1 && windows[0] === window;
    if (!isRight) wrong.push(`${what}: row ${id} of ${instants[id]} in windows [${windows}], not ${window}`);
  }
}

function byTime(left: Micros, right: Micros): number {
  return left < right ? -1 : Number(left > right);
}

const { config, environment } = JSON.parse(site) as Pick<Warehouse, 'config' | 'environment'>;
await using session = await connector.open(config, environment, NEVER);
for (const [column, type] of READS) await readWindows(session, column, type);
const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
process.stdout.write(JSON.stringify({ timeZone, wrong: wrong.slice(0, 10), count: wrong.length }));
