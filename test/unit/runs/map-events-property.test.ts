import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkBatch, EVENT_TYPES, findDestination, type Leaf, missingFields } from '../../../src/events/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';
import { type FieldMapping, transformationMisfits } from '../../../src/pipelines/index.ts';
import type { Cell, Column, ColumnType } from '../../../src/warehouse/index.ts';
import { destinationsOf } from '../../support/apis/destinations.ts';
import { LIMITS } from '../../support/batches/batches.ts';
import { always, column, eventsPlan, fromColumn, mapEvents } from '../../support/batches/map-events.ts';

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', '1', 'true', '::1', 'other', 'purchase', 'production', '\u0000', 'x'.repeat(5000)),
  fc.uuid(),
);
const day = fc
  .date({ noInvalidDate: true, min: new Date('0100-01-01'), max: new Date('9999-01-01') })
  .map((date) => date.toISOString());
const integer = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }));

/** Cells of each type of column, as connectors give them. */
const CELLS: Readonly<Record<Single, fc.Arbitrary<Cell>>> = {
  boolean: fc.boolean(),
  integer,
  decimal: fc.oneof(fc.bigInt(), fc.integer()).map((value) => `${value}.50`),
  double: fc.oneof(fc.double(), fc.integer()),
  text,
  date: fc.oneof(
    day.map((at) => at.slice(0, 10)),
    fc.constant('infinity'),
  ),
  time: fc.constant('12:00:00.000000'),
  timestamp: fc.oneof(
    day.map((at) => `${at.slice(0, -1)}000`),
    fc.constant('-infinity'),
  ),
  timestamp_tz: day.map((at) => `${at.slice(0, -1)}000Z`),
  binary: fc.uint8Array({ maxLength: 4 }),
  uuid: fc.uuid(),
  json: fc.oneof(
    fc.json({ maxDepth: 1 }),
    fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { maxLength: 3 }).map((list) => JSON.stringify(list)),
  ),
  struct: fc.constant({ entries: [['a', 1]] }),
  map: fc.constant({ entries: [] }),
  unknown: fc.oneof(text, integer, fc.double(), fc.boolean()),
};
type Single = Exclude<ColumnType, 'list'>;
const SINGLE_TYPES = Object.keys(CELLS) as Single[];

interface GivenColumn {
  readonly column: Column;
  readonly cell: fc.Arbitrary<Cell>;
}

/** What a field takes, so that most rows are kept. */
function fitting({ kind, allowed, identity }: Leaf): fc.Arbitrary<boolean | number | string> {
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  if (kind === 'Uuid') return fc.uuid();
  if (identity !== undefined) return fc.emailAddress();
  if (kind === 'Ip') return fc.ipV6();
  if (kind === 'Boolean') return fc.boolean();
  return kind === 'Integer' || kind === 'Number' ? fc.integer() : fc.string({ maxLength: 5 });
}

function cellsOf(type: Single, leaf: Leaf): fc.Arbitrary<Cell> {
  const fit = fitting(leaf);
  const mostly = (cells: fc.Arbitrary<Cell>) =>
    fc.oneof({ weight: 40, arbitrary: cells }, { weight: 1, arbitrary: CELLS[type] });
  if (type === 'json') return mostly(fit.map((value) => JSON.stringify(value)));
  if (type === 'unknown' || type === 'text') return mostly(fit);
  if (leaf.kind === 'Integer' && type === 'decimal') return mostly(fc.integer().map((value) => `${value}.00`));
  if (type === 'double' || type === 'integer') return mostly(fc.integer());
  return CELLS[type];
}

function givenColumn(type: Single, lists: number, leaf: Leaf): GivenColumn {
  let given: GivenColumn = { column: column('', type), cell: cellsOf(type, leaf) };
  for (let level = 0; level < lists; level++) {
    const items = fc.array(fc.option(given.cell, { freq: 20 }), { minLength: 2, maxLength: level === 0 ? 2 : 3 });
    given = { column: column('', 'list', given.column), cell: items };
  }
  return given;
}

const drawn = fc.tuple(fc.constantFrom(...SINGLE_TYPES), fc.constantFrom(0, 0, 0, 1, 2));

/** A column that fits the place; undefined where none of those that were drawn does. */
const sourceFor = (path: string, kind: string) =>
  fc.array(drawn, { minLength: 12, maxLength: 12 }).map((all) => {
    const destination = findDestination(path, kind);
    if ('problem' in destination) throw new Error(destination.problem);
    const mappings = [always(kind, 'events.event_type'), fromColumn('c', path)];
    return all
      .map(([type, lists]) => givenColumn(type, lists, destination.leaf))
      .find(({ column: each }) => transformationMisfits([{ ...each, name: 'c' }], mappings).length === 0);
  });

interface Given {
  readonly columns: readonly Column[];
  readonly mappings: readonly FieldMapping[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The paths with all that they make necessary. */
function completed(kind: string, paths: readonly string[]): readonly string[] {
  const missing = missingFields(kind, ['events.event_type', ...paths]).map((entry) => entry.split(' or ')[0] ?? '');
  if (missing.length === 0) return paths;
  const more = missing.flatMap((path) =>
    'problem' in findDestination(path, kind)
      ? destinationsOf(kind)
          .filter((each) => each.startsWith(`${path}.`))
          .slice(0, 1)
      : [path],
  );
  return completed(kind, [...new Set([...paths, ...more])]);
}

const given: fc.Arbitrary<Given> = fc
  .constantFrom(...EVENT_TYPES)
  .chain((kind) =>
    fc.tuple(
      fc.constant(kind),
      fc.subarray([...destinationsOf(kind)], { maxLength: 12 }).map((paths) => completed(kind, paths)),
    ),
  )
  .chain(([kind, paths]) =>
    fc.tuple(fc.constant(kind), fc.constant(paths), fc.tuple(...paths.map((path) => sourceFor(path, kind)))),
  )
  .filter(([, , sources]) => sources.every((source) => source !== undefined))
  .chain(([kind, paths, sources]) => {
    const cells = sources.map((source) => fc.option((source as GivenColumn).cell, { freq: 40 }));
    const person = fc.constantFrom(...Array.from({ length: 6 }, () => 'a@b.c'), ' B@b.c', null);
    return fc.record({
      columns: fc.constant([
        column('email'),
        ...sources.map((source, index) => ({ ...(source as GivenColumn).column, name: `c${index}` })),
      ]),
      mappings: fc.constant([
        always(kind, 'events.event_type'),
        fromColumn('email', 'user_identities.email'),
        ...paths.map((path, index) => fromColumn(`c${index}`, path)),
      ]),
      rows: fc.array(fc.tuple(person, ...cells), { maxLength: 6 }),
    });
  });

describe('whatever the transformation, the columns and the rows are', () => {
  it('every batch passes the check of batches, and every row is an event of a batch or refused, in order', async () => {
    let keptEvents = 0;
    await fc.assert(
      fc.asyncProperty(given, async ({ columns, mappings, rows }) => {
        const { batches, starts, refused } = await mapEvents(eventsPlan(columns, mappings), rows);
        let events = 0;
        for (const [index, { text: batch }] of batches.entries()) {
          const body = parseJson(batch) as { readonly events: readonly unknown[] };
          expect(checkBatch(body, LIMITS, batch)).toEqual([]);
          expect(starts[index]).toBe(events);
          events += body.events.length;
        }
        keptEvents += events;
        expect(starts.at(-1)).toBe(events);
        expect(events + refused.length).toBe(rows.length);
        const refusedRows = refused.map(({ row }) => rows.indexOf(row as (typeof rows)[number]));
        expect(refusedRows).toEqual([...refusedRows].sort((one, other) => one - other));
      }),
      { numRuns: 300 },
    );
    // else the test would show little
    expect(keptEvents).toBeGreaterThan(200);
  });
});
