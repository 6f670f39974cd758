// The resources that version 1 can see, and the repetition of its PUTs after concurrent changes.
import { AppError } from '../kernel/index.ts';
import type { Connection, PipelineContext } from '../pipelines/index.ts';
import {
  connectionNotFound,
  findConnection,
  loadConnection,
  loadPipeline,
  loadPipelines,
  type PipelineSelection,
  pipelineNotFound,
} from '../pipelines/index.ts';
import type { Sql } from '../store/index.ts';
import { warehouseOf } from './warehouses.ts';

type Key = Parameters<typeof findConnection>[1];

/** Returns what `loadConnection` does, for a warehouse of version 1. Throws NOT_FOUND. */
export async function loadKnownConnection(sql: Sql, key: Key): Promise<Connection> {
  const connection = await loadConnection(sql, key);
  if (warehouseOf(connection) === undefined) throw connectionNotFound(key.id);
  return connection;
}

/** Returns what `findConnection` does, for a warehouse of version 1. */
export async function findKnownConnection(sql: Sql, key: Key): Promise<Connection | undefined> {
  const connection = await findConnection(sql, key);
  return connection === undefined || warehouseOf(connection) === undefined ? undefined : connection;
}

/** Returns what `loadPipeline` does, over a warehouse of version 1. Throws NOT_FOUND. */
export async function loadKnownPipeline(sql: Sql, key: Key): Promise<PipelineContext> {
  const context = await loadPipeline(sql, key);
  if (warehouseOf(context.connection) === undefined) throw pipelineNotFound(key.id);
  return context;
}

/** Returns what `loadPipelines` does, over the warehouses of version 1. */
export async function loadKnownPipelines(sql: Sql, selection: PipelineSelection): Promise<readonly PipelineContext[]> {
  const contexts = await loadPipelines(sql, selection);
  return contexts.filter(({ connection }) => warehouseOf(connection) !== undefined);
}

const TRIES = 3;

/**
 * Repeats `work` after STORE_CONFLICT, three tries in all. A PUT is built from stored values, and is built anew where they
 * changed meanwhile.
 */
export async function untilUnchanged<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (thrown) {
      if (left === 1 || !(thrown instanceof AppError) || thrown.code !== 'STORE_CONFLICT') throw thrown;
    }
  }
}
