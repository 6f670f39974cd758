// The SDK as a value that is handed around: session.ts loads it when a session opens (20 MB, 50 ms), nobody imports it.
import type bindings from '@duckdb/node-bindings';

export type NodeApi = typeof import('@duckdb/node-api');
export type Bindings = typeof bindings;

/** `api`: connections, statements, types. `bindings`: the memory of vectors, which the api only shows value by value. */
export interface Sdk {
  readonly api: NodeApi;
  readonly bindings: Bindings;
}
