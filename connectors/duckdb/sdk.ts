// The SDK as a value. session.ts loads it when a session opens (20 MB, 50 ms); no other file imports it.
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
