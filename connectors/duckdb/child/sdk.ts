// The SDK as a value. Children load it (20 MB, 50 ms); the daemon never does.
import type bindings from '@duckdb/node-bindings';

export type NodeApi = typeof import('@duckdb/node-api');
export type Bindings = typeof bindings;

/**
 * Parts of the SDK. `api`: connections, statements, types. `bindings`: the memory of vectors, which the api only shows value by
 * value.
 */
export interface Sdk {
  readonly api: NodeApi;
  readonly bindings: Bindings;
}

/** Loads the SDK; the only place that does. */
export async function loadSdk(): Promise<Sdk> {
  const [api, bindings] = await Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]);
  return { api, bindings: bindings.default };
}
