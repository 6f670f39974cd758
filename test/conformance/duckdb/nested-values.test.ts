// Values of random nested types, read through the child, against the driver's own values of the same statement.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as duckdb from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../src/kernel/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import { rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

/** SQL of values that depend on a number, which is SQL too. A value is NULL for about one number in `nulls`. */
type Shape =
  | { readonly kind: 'leaf'; readonly leaf: number; readonly nulls: number }
  | { readonly kind: 'list' | 'array' | 'map'; readonly item: Shape; readonly nulls: number }
  | { readonly kind: 'struct'; readonly fields: readonly Shape[]; readonly nulls: number }
  | { readonly kind: 'union'; readonly leaf: number; readonly nulls: number };

const LEAVES: readonly ((n: string) => string)[] = [
  (n) => `(hash(${n}) % 100000)::INTEGER`,
  (n) => `(hash(${n}) >> 1)::BIGINT`,
  // some are long, so that a vector is sent in parts
  (n) => `repeat('é' || ${n}, (hash(${n}) % 9 * CASE WHEN hash(${n}) % 53 = 0 THEN 300 ELSE 1 END)::INTEGER)`,
  (n) => `encode(repeat('b' || ${n}, (hash(${n}) % 7)::INTEGER))`,
  (n) => `(hash(${n}) % 2 = 0)`,
  (n) => `((hash(${n}) // 4)::HUGEINT * (hash(${n} + 1) // 4)::HUGEINT)`,
  (n) => `(hash(${n}) % 256)::UTINYINT`,
  (n) => `((hash(${n}) % 1000000)::VARCHAR || '000000000000000000000')::BIGNUM`,
  (n) => `((hash(${n}) % 1000003) / 7.0)::DOUBLE`,
];

const common = { nulls: fc.integer({ min: 1, max: 7 }) };
const leaf = fc.nat({ max: LEAVES.length - 1 });
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({ kind: fc.constant('leaf' as const), leaf, ...common }),
    fc.record({
      kind: fc.constantFrom('list' as const, 'array' as const, 'map' as const),
      item: tie('shape'),
      ...common,
    }),
    fc.record({
      kind: fc.constant('struct' as const),
      fields: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
      ...common,
    }),
    fc.record({ kind: fc.constant('union' as const), leaf, ...common }),
  ),
}));

function sqlOf(made: Shape, n: string, depth = 0): string {
  const value = valueSql(made, n, depth);
  return made.nulls === 1 || holdsArray(made)
    ? value
    : `CASE WHEN hash(${n} * 31 + ${depth}) % ${made.nulls} > 0 THEN ${value} END`;
}

/** Tells whether DuckDB has no CASE of this type. */
function holdsArray(made: Shape): boolean {
  return made.kind === 'array' || (made.kind === 'struct' && made.fields.some(holdsArray));
}

function valueSql(made: Shape, n: string, depth: number): string {
  const leafSql = (at: number) => (LEAVES[at] ?? String)(n);
  const k = `k${depth}`;
  switch (made.kind) {
    case 'leaf':
      return leafSql(made.leaf);
    case 'union':
      return `CASE WHEN hash(${n}) % 2 = 0 THEN union_value(u := ${leafSql(made.leaf)}) END`;
    case 'struct':
      return `{${made.fields.map((field, at) => `'f${at}': ${sqlOf(field, `(${n} + ${at})`, depth + 1)}`).join(', ')}}`;
    case 'array':
      return `array_value(${[0, 1, 2].map((at) => sqlOf(made.item, `(${n} + ${at})`, depth + 1)).join(', ')})`;
    case 'list':
      return `list_transform(range((hash(${n}) % 4)::INTEGER), ${k} -> ${sqlOf(made.item, `(${n} * 3 + ${k})`, depth + 1)})`;
    case 'map':
      return (
        `map_from_entries(list_transform(range((hash(${n}) % 3)::INTEGER), ` +
        `${k} -> {'k': 'key ' || ${k}, 'v': ${sqlOf(made.item, `(${n} + ${k})`, depth + 1)}}))`
      );
  }
}

/** Statements whose vectors are flat, selected, constant, repeated, or parts of lists. */
const STATEMENTS = [
  'SELECT * FROM p',
  'SELECT c0, c1 FROM p WHERE n % 3 > 0',
  'SELECT * FROM p ORDER BY n DESC',
  'SELECT x.c0, y.c1 FROM p AS x JOIN p AS y ON y.n = x.n // 2 WHERE x.n < 900 ORDER BY x.n',
  'SELECT list(c0 ORDER BY n) AS l, list(c1 ORDER BY n) AS m FROM p GROUP BY n // 10 ORDER BY min(n)',
  'SELECT list_slice(list(c0 ORDER BY n), 3, 6) AS l FROM p GROUP BY n % 300 ORDER BY min(n)',
  "SELECT (SELECT c0 FROM p WHERE n = 4) AS k, [c0, NULL, c0] AS l, {'a': c1, 'b': c0} AS s FROM p",
  'SELECT unnest([c0, NULL, c0]) AS u, n FROM p WHERE n < 1500',
  'SELECT CASE WHEN n % 2 = 0 THEN c1 END AS b FROM p',
  'SELECT lag(c0, 3) OVER (ORDER BY n) AS l FROM p ORDER BY n',
];

/** Returns a value of the driver as a cell. */
function cellOf(value: duckdb.DuckDBValue): Cell {
  if (value instanceof duckdb.DuckDBListValue || value instanceof duckdb.DuckDBArrayValue)
    return value.items.map(cellOf);
  if (value instanceof duckdb.DuckDBStructValue) {
    return { entries: Object.entries(value.entries).map(([name, field]): [Cell, Cell] => [name, cellOf(field)]) };
  }
  if (value instanceof duckdb.DuckDBMapValue) {
    return { entries: value.entries.map((entry): [Cell, Cell] => [cellOf(entry.key), cellOf(entry.value)]) };
  }
  if (value instanceof duckdb.DuckDBUnionValue) return { entries: [[value.tag, cellOf(value.value)]] };
  if (value instanceof duckdb.DuckDBBlobValue) return Uint8Array.from(value.bytes);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === null || typeof value !== 'object') return value;
  throw new TypeError(`No cell for ${value.constructor.name}.`);
}

/** Rethrows any failure but that of an expression that DuckDB has not for a type. */
function unlessUnknown(failure: unknown): undefined {
  if (!messageOf(failure).startsWith('Not implemented Error')) throw failure;
}

/** Returns rows as text, which is compared in a fraction of the time. */
function textOf(rows: readonly (readonly Cell[])[]): string {
  const plain = (_: string, cell: unknown) => {
    if (typeof cell === 'bigint') return `${cell}n`;
    return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell;
  };
  return rows.map((row) => JSON.stringify(row, plain)).join('\n');
}

describe('values of random nested types', () => {
  it('arrive from the child as the driver reads them', async () => {
    await using scratch = await scratchWarehouse();
    const file = join(scratch.folder, 'p.duckdb');
    await fc.assert(
      fc.asyncProperty(shape, shape, async (first, second) => {
        await rm(file, { force: true });
        const columns = `${sqlOf(first, 'n')} AS c0, ${sqlOf(second, '(n + 7)')} AS c1`;
        await scratch.run('p.duckdb', `CREATE TABLE p AS SELECT n, ${columns} FROM range(2500) AS r(n)`);
        await using session = await scratch.open({ database: 'p.duckdb' }, { memoryMb: 256 });
        const instance = await duckdb.DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' });
        const connection = await instance.connect();
        for (const sql of STATEMENTS) {
          // DuckDB itself fails where a CASE has arrays
          const result = await connection.run(sql).catch(unlessUnknown);
          if (result === undefined) continue;
          const wanted = await result.getRows();
          expect(textOf(await rowsOf(session, sql)) === textOf(wanted.map((row) => row.map(cellOf))), sql).toBe(true);
        }
        connection.closeSync();
        instance.closeSync();
      }),
      { numRuns: 3, seed: 18 },
    );
  });
});
