// Types of the used part of the SDK, including internals that its own declarations leave out.
import type { Agent } from 'node:http';
import type { Readable } from 'node:stream';
import type { Column, Connection } from 'snowflake-sdk';

export type { Connection, RowStatement } from 'snowflake-sdk';

/** A row of texts and null, as the server wrote it. */
export type RawRow = (string | null)[];

export interface RawColumn extends Column {
  /** Function that the row stream calls for each cell; a property of each column. */
  _getRowValue: (row: { readonly values: RawRow }) => string | null;
}

/** Rows of a result, as a stream of objects that are arrays. */
export interface RowStream extends Readable {
  read(): RawRow | null;
}

/** A part of a result: rows that came with the answer, or rows behind a link. */
export interface ResultChunk {
  getRows(): unknown;
  getStartIndex(): number;
  getEndIndex(): number;
  /** Returns the bytes that the server announced; −1 where it did not. */
  getUncompressedSize(): number;
  clearRows(isForced: boolean): void;
  load(done?: unknown): void;
  listenerCount(event: string): number;
  emit(event: string, ...told: readonly [failure: unknown, chunk: unknown]): boolean;
}

export interface HttpRequest {
  url?: string;
  method?: string;
  signal?: AbortSignal;
  httpAgent?: Agent;
  httpsAgent?: Agent;
  lookup?: (host: string, options: object, done: LookUpDone) => void;
  maxRedirects?: number;
  maxContentLength?: number;
  timeout?: number;
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

/** The one client through which all of the SDK's requests pass. */
export interface HttpClient {
  readonly interceptors: {
    readonly request: { use(prepare: (request: HttpRequest) => Promise<HttpRequest>): unknown };
    readonly response: { use(done: undefined, failed: (failure: HttpFailure) => Promise<never>): unknown };
  };
}

export interface Sdk {
  createConnection(options: object): Connection;
}
