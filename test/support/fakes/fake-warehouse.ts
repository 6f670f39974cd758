import { Type } from 'typebox';
import { type AppError, type Micros, microsOfMs } from '../../../src/kernel/index.ts';
import {
  type Cell,
  type Column,
  type Connector,
  defineConnector,
  type Statement,
} from '../../../src/warehouse/index.ts';

type Row = readonly Cell[];

/** A warehouse of one table whose faults a test decides. What it reads and when it was asked can be looked at. */
export interface FakeWarehouse {
  readonly connector: Connector;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Its clock, apart from ours. */
  nowMs: () => number;
  /** Thrown by the next open, describe, count of rows without an iterator, or read until it is taken away. */
  failing:
    | { readonly at: 'open' | 'describe' | 'count' | 'read'; readonly error: AppError; readonly afterChunks?: number }
    | undefined;
  /** Waited for before each chunk but the first. */
  gate: (chunk: number, signal: AbortSignal) => Promise<void>;
  readonly statements: Statement[];
  /** Of each statement, what was asked for as its `snapshotKey`. */
  readonly snapshotKeys: (string | undefined)[];
  sessions: number;
}

export interface FakeWarehouseOptions {
  readonly columns: readonly Column[];
  readonly rows?: readonly Row[];
  readonly nowMs: () => number;
  /** Column that ranges are about; its cells compare as they are. */
  readonly iterator?: string;
}

export function fakeWarehouse(options: FakeWarehouseOptions): FakeWarehouse {
  const { columns, rows = [], nowMs } = options;
  const warehouse: FakeWarehouse = {
    connector: defineConnector({
      provider: 'DuckDB',
      product: 'DuckDB',
      configSchema: Type.Object({ database: Type.String() }),
      secretFields: [],
      dialect: {
        grammar: 'duckdb',
        quoteIdentifier: (name) => `"${name}"`,
        exactText: (expression) => expression,
        placeholder: (name) => `$${name}`,
        castBound: (placeholder) => placeholder,
        iteratorAliases: {},
      },
      capabilities: { snapshot: true, writeBack: false },
      classify: (error) => error as AppError,
      open: async () => {
        failAt(warehouse, 'open');
        warehouse.sessions += 1;
        return session(warehouse, options);
      },
    }),
    columns,
    rows,
    nowMs,
    failing: undefined,
    gate: async () => undefined,
    statements: [],
    snapshotKeys: [],
    sessions: 0,
  };
  return warehouse;
}

function failAt({ failing }: FakeWarehouse, at: 'open' | 'describe' | 'count' | 'read', chunks = 0): void {
  if (failing?.at === at && chunks >= (failing.afterChunks ?? 0)) throw failing.error;
}

type OpenedSession = Awaited<ReturnType<Connector['open']>>;

function session(warehouse: FakeWarehouse, { iterator }: FakeWarehouseOptions): OpenedSession {
  return {
    probe: async () => [],
    clock: async (): Promise<Micros> => microsOfMs(warehouse.nowMs()),
    async describe() {
      failAt(warehouse, 'describe');
      return warehouse.columns;
    },
    async read({ statement, chunkRows, snapshotKey }, signal) {
      warehouse.statements.push(statement);
      warehouse.snapshotKeys.push(snapshotKey);
      if (statement.sql.includes('null_iterators')) return { columns: [], chunks: ofNulls(warehouse, iterator) };
      const rows = inRange(warehouse, statement, iterator);
      return { columns: warehouse.columns, chunks: chunksOf(warehouse, rows, { chunkRows, signal }) };
    },
    [Symbol.asyncDispose]: async () => {
      warehouse.sessions -= 1;
    },
  };
}

function inRange({ rows, columns }: FakeWarehouse, { parameters }: Statement, iterator: string | undefined) {
  const position = columns.findIndex(({ name }) => name === iterator);
  const { range_start: start, range_end: end } = parameters;
  if (position < 0 || (start === undefined && end === undefined)) return rows;
  return rows.filter((row) => {
    const cell = String(row[position]).replace('Z', '+00:00');
    return row[position] !== null && (start === undefined || cell >= start) && (end === undefined || cell < end);
  });
}

async function* ofNulls(warehouse: FakeWarehouse, iterator: string | undefined): AsyncGenerator<readonly Row[]> {
  failAt(warehouse, 'count');
  const { rows, columns } = warehouse;
  const position = columns.findIndex(({ name }) => name === iterator);
  yield [[rows.filter((row) => row[position] === null).length]];
}

interface Chunking {
  readonly chunkRows: number;
  readonly signal: AbortSignal;
}

async function* chunksOf(
  warehouse: FakeWarehouse,
  rows: readonly Row[],
  { chunkRows, signal }: Chunking,
): AsyncGenerator<readonly Row[]> {
  let from = 0;
  for (let chunk = 0; from < rows.length; chunk++) {
    failAt(warehouse, 'read', chunk);
    if (chunk > 0) await warehouse.gate(chunk, signal);
    signal.throwIfAborted();
    yield rows.slice(from, from + chunkRows);
    from += chunkRows;
  }
  failAt(warehouse, 'read', Number.POSITIVE_INFINITY);
}
