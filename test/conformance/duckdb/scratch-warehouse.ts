import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdb } from '../../../connectors/duckdb/index.ts';
import type { Cell, ConnectorEnvironment, Session } from '../../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

export const NEVER = new AbortController().signal;

/** A workspace's folder, gone after the test. */
export interface Scratch extends AsyncDisposable {
  readonly folder: string;
  /** As the customer's own tools would, with every right. */
  run(file: string, ...statements: readonly string[]): Promise<void>;
  open(config: Record<string, unknown>, limits?: Partial<ConnectorEnvironment>): Promise<Session>;
}

export async function scratchWarehouse(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `penstock o'brien, ${process.pid}-`)));
  return {
    folder,
    async run(file, ...statements) {
      const { DuckDBInstance } = await import('@duckdb/node-api');
      const instance = await DuckDBInstance.create(file === ':memory:' ? file : join(folder, file));
      const connection = await instance.connect();
      for (const statement of statements) await connection.run(statement);
      connection.closeSync();
      instance.closeSync();
    },
    open: (config, limits = {}) =>
      duckdb.open(config, warehouseEnvironment({ folder, memoryMb: 128, threads: 1, ...limits }), NEVER),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function rowsOf(session: Session, sql: string, signal = NEVER): Promise<readonly (readonly Cell[])[]> {
  const request = { statement: { sql, parameters: {} }, chunkRows: 10_000, chunkBytes: 1 << 26 };
  const { chunks } = await session.read(request, signal);
  const rows: (readonly Cell[])[] = [];
  for await (const chunk of chunks) rows.push(...chunk);
  return rows;
}
