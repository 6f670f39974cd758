// The way of a row through the engine's own reading, in one process. Each pass goes one step further than the one before.
import { duckdb } from '../../../connectors/duckdb/index.ts';
import { createIdentities, deliverInTransaction, type ResolutionScope } from '../../../src/identity/index.ts';
import { microsOfMs, Secret, systemClock, workspaceId } from '../../../src/kernel/index.ts';
import * as mapping from '../../../src/mapping/index.ts';
import { NO_HASHES } from '../../../src/runs/ledger/hash-multiset.ts';
import { NO_KEYS } from '../../../src/runs/ledger/row-ledger.ts';
import { createSieve, type Sieve } from '../../../src/runs/ledger/sieve.ts';
import { type ChunkReading, readChunks } from '../../../src/runs/read/read-chunks.ts';
import type { Store } from '../../../src/store/index.ts';
import type { Column, Session } from '../../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../../../test/support/fakes/warehouse-environment.ts';
import { MODEL } from '../people-warehouse.ts';
import { type StatementCosts, watchStatements } from './watch-statements.ts';

export interface RowPasses extends AsyncDisposable {
  /** Reads the rows and drops them. */
  read(): Promise<void>;
  /** Reads and hashes, and keeps the text of each row. */
  hash(): Promise<void>;
  /** Reads, hashes and maps: attributes to JSON, identities to keys, people in the order of their keys. */
  map(): Promise<void>;
  /** Does all of it, and delivers each chunk while the next one is mapped. */
  deliver(store: Store, costs: StatementCosts): Promise<void>;
}

export interface PassOrder {
  readonly folder: string;
  readonly database: string;
  readonly chunkRows: number;
}

const WORKSPACE = workspaceId(1n);
const SCOPE: ResolutionScope = { workspaceId: WORKSPACE, environment: 'production', mode: 'full' };
const KEY = new Secret('bench');
const MEMORY_MB = 512;
const STATEMENT = { sql: MODEL, parameters: {} };
/** A sieve that drops each row. */
const NOTHING: Sieve = {
  ...{ passed: 0, found: 0, bytes: 0, hashes: undefined, pass: () => false },
  close: () => ({ keys: NO_KEYS, early: undefined, deduplicated: [], rows: { row: () => [] } }),
};
const NO_UNITS: mapping.MappedRows = {
  ...{ accepted: [], starts: new Int32Array(1), refused: [], ahead: [] },
  deliver: async () => [],
};

export async function openRowPasses({ folder, database, chunkRows }: PassOrder): Promise<RowPasses> {
  const { signal } = new AbortController();
  const session = await duckdb.open({ database }, warehouseEnvironment({ folder, memoryMb: MEMORY_MB }), signal);
  const columns = await session.describe(STATEMENT, signal);
  const whole = mapping.createRowHash({ key: KEY, columns, positions: [...columns.keys()] });
  const openSieve = () =>
    createSieve({ whole, known: [{ hash: whole, own: NO_HASHES, others: NO_HASHES }], early: undefined });
  const chunks = (units: mapping.UnitMapping, sieve: () => Sieve) => {
    const reading = readingOf({ session, columns, units, openSieve: sieve });
    return readChunks({ ledgerKey: KEY, settings: { chunkRows } as never }, reading, signal);
  };
  const drain = async (units: mapping.UnitMapping, sieve: () => Sieve) => {
    for await (const _chunk of chunks(units, sieve));
  };
  const people = () => mappingOf(columns);
  const uncollected = { ...people(), collect: () => ({ add: () => undefined, finish: () => NO_UNITS }) };
  return {
    read: () => drain(uncollected, () => NOTHING),
    hash: () => drain(uncollected, openSieve),
    map: () => drain(people(), openSieve),
    async deliver(store, costs) {
      const source = chunks(people(), openSieve);
      let next = source.next();
      for (let chunk = await next; chunk.done !== true; chunk = await next) {
        next = source.next();
        const { mapped } = chunk.value;
        await deliverInTransaction(store, WORKSPACE, (tx, exclusive) =>
          watchStatements(tx, costs, (watched) => mapped.deliver(watched, exclusive)),
        );
      }
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

interface Reading {
  readonly session: Session;
  readonly columns: readonly Column[];
  readonly units: mapping.UnitMapping;
  readonly openSieve: () => Sieve;
}

/** Returns a reading of the whole table by a run without a past. */
function readingOf({ session, columns, units, openSieve }: Reading): ChunkReading {
  const claimed = { workspaceId: WORKSPACE, runId: 1n, startedAt: 0n };
  const source = { statement: STATEMENT, mapping: units, columns };
  const ledger = { openSieve, write: async () => undefined };
  return { session, label: {}, source, ledger, claimed } as unknown as ChunkReading;
}

/** Returns the mapping of a full run that starts now. */
function mappingOf(columns: readonly Column[]): mapping.UnitMapping {
  const roles = mapping.assignRoles(columns, undefined, mapping.DEFAULT_LIMITS);
  const runStart = microsOfMs(Date.now());
  const time = { iterator: undefined, runStart, nowMs: () => systemClock.nowMs() };
  const mapRow = mapping.compileMapper({ columns, roles, limits: mapping.DEFAULT_LIMITS, ...time });
  const identities = createIdentities({ key: KEY, clock: systemClock });
  const mark = JSON.stringify({ columns, limits: mapping.DEFAULT_LIMITS });
  return mapping.createPeopleMapping({ identities, scope: SCOPE, columns, roles, mapRow, mark });
}
