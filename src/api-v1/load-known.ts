// Reads connections and pipelines over the warehouses that version 1 knows.
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

/** Returns a connection to a warehouse of version 1. Throws NOT_FOUND, also for another warehouse. */
export async function loadKnownConnection(sql: Sql, key: Key): Promise<Connection> {
  const connection = await loadConnection(sql, key);
  if (warehouseOf(connection) === undefined) throw connectionNotFound(key.id);
  return connection;
}

/** Returns a connection to a warehouse of version 1. Returns undefined where there is none. */
export async function findKnownConnection(sql: Sql, key: Key): Promise<Connection | undefined> {
  const connection = await findConnection(sql, key);
  return connection === undefined || warehouseOf(connection) === undefined ? undefined : connection;
}

/** Returns a pipeline over a warehouse of version 1. Throws NOT_FOUND, also for another warehouse. */
export async function loadKnownPipeline(sql: Sql, key: Key): Promise<PipelineContext> {
  const context = await loadPipeline(sql, key);
  if (warehouseOf(context.connection) === undefined) throw pipelineNotFound(key.id);
  return context;
}

/** Returns the selected pipelines over the warehouses of version 1. */
export async function loadKnownPipelines(sql: Sql, selection: PipelineSelection): Promise<readonly PipelineContext[]> {
  const contexts = await loadPipelines(sql, selection);
  return contexts.filter(({ connection }) => warehouseOf(connection) !== undefined);
}
