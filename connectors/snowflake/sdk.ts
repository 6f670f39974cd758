// What we use of the SDK, by type only, and of its insides what its own declarations leave out.
import type { Readable } from 'node:stream';
import type { Column, Connection } from 'snowflake-sdk';

export type { Connection, RowStatement } from 'snowflake-sdk';

/** One row as the server wrote it: texts, and null. */
export type RawRow = (string | null)[];

export interface RawColumn extends Column {
  /** What the row stream calls for each cell; a property of each column. */
  _getRowValue: (row: { readonly values: RawRow }) => string | null;
}

/** Rows of a result; objects that are arrays. */
export interface RowStream extends Readable {
  read(): RawRow | null;
}

/** A piece of a result: rows that came with the answer, or that lie behind a link. */
export interface ResultChunk {
  getRows(): unknown;
  getStartIndex(): number;
  getEndIndex(): number;
  listenerCount(event: string): number;
  emit(event: string, ...told: readonly [failure: unknown, chunk: unknown]): boolean;
}

export interface HttpRequest {
  url?: string;
  method?: string;
  signal?: AbortSignal;
  lookup?: (host: string, options: object, done: LookUpDone) => void;
  maxRedirects?: number;
  useSnowflakeRetryMiddleware?: boolean;
  snowflakeRetryConfig?: { readonly maxRetries: number; readonly sleepBase: number; readonly sleepCap: number };
}

export type LookUpDone = (failure: Error | null, addresses: readonly LookUp[]) => void;

export interface LookUp {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface HttpFailure extends Error {
  code?: string;
  config?: HttpRequest;
  response?: { readonly status: number };
}

/** The one client that all of the SDK's requests go through. */
export interface HttpClient {
  readonly interceptors: {
    readonly request: { use(prepare: (request: HttpRequest) => Promise<HttpRequest>): unknown };
    readonly response: { use(done: undefined, failed: (failure: HttpFailure) => Promise<never>): unknown };
  };
}

export interface Sdk {
  createConnection(options: object): Connection;
}
