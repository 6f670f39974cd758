import type { Cell, Column, ReadRequest, Session, Statement } from '../../src/warehouse/index.ts';
import type { Fixture, Warehouse } from './fixture.ts';

export const NEVER = new AbortController().signal;

export function statement(sql: string, parameters: Statement['parameters'] = {}): Statement {
  return { sql, parameters };
}

export function requestOf(sql: string, options: Partial<ReadRequest> = {}): ReadRequest {
  return { statement: statement(sql), chunkRows: 1000, chunkBytes: 64 * 1024 * 1024, ...options };
}

export interface Answer {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly chunkSizes: readonly number[];
}

/** Reads to the end. */
export async function readAll(session: Session, request: ReadRequest, signal = NEVER): Promise<Answer> {
  const { columns, chunks } = await session.read(request, signal);
  const rows: (readonly Cell[])[] = [];
  const chunkSizes: number[] = [];
  for await (const chunk of chunks) {
    chunkSizes.push(chunk.length);
    rows.push(...chunk);
  }
  return { columns, rows, chunkSizes };
}

export function openOn(fixture: Fixture, { config, environment }: Warehouse): Promise<Session> {
  return fixture.connector.open(config, environment, NEVER);
}

/** A started warehouse and one session on it, gone after the test. */
export async function using(
  fixture: Fixture,
  work: (session: Session, warehouse: Warehouse) => Promise<void>,
): Promise<void> {
  await using warehouse = await fixture.start();
  await using session = await openOn(fixture, warehouse);
  await work(session, warehouse);
}
