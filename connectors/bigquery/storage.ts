// Large results by the Storage Read API: Arrow over gRPC, many times as fast as pages of JSON. One stream keeps the order of
// the result.
import type { BigQueryReadClient } from '@google-cloud/bigquery-storage';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { RecordBatch } from 'apache-arrow';
import { AppError } from '../../src/kernel/index.ts';
import { type Piece, readRows } from '../_shared/cut-chunks.ts';
import { openColumn } from './cells/arrow.ts';
import type { Shape } from './cells/types.ts';
import { type Client, within } from './client.ts';
import { STORAGE } from './hosts.ts';
import { findJob } from './jobs/jobs.ts';
import type { JobResult } from './jobs/result.ts';
import type { StorageSdk } from './sdk.ts';

export interface Storage {
  /**
   * Returns the rows of a job's result once the first have arrived; undefined where the API is unavailable and pages must be
   * read.
   */
  read(result: JobResult, signal: AbortSignal): Promise<AsyncGenerator<Piece, undefined> | undefined>;
  close(): Promise<void>;
}

interface Opened {
  readonly sdk: StorageSdk;
  readonly reader: BigQueryReadClient;
}

/**
 * Creates the reader. Loads nothing before the first large result. An API that fails to open is not tried again in this
 * session.
 */
export function createStorage(client: Client): Storage {
  let opening: Promise<Opened> | undefined;
  // gRPC has no way through a proxy that the rules for the network would see: behind one, pages are read
  let isClosed = isLocalWithoutStorage(client) || isBehindProxy(client);
  return {
    async read(result, signal) {
      if (isClosed) return undefined;
      opening ??= open(client);
      try {
        return await begin({ client, ...(await opening), result, signal });
      } catch (failure) {
        if (signal.aborted) throw failure;
        isClosed = true;
        return undefined;
      }
    },
    async close() {
      isClosed = true;
      await (await opening?.catch(() => undefined))?.reader.close().catch(() => undefined);
    },
  };
}

function isLocalWithoutStorage(client: Client): boolean {
  return client.environment.endpoints.bigquery !== undefined && endpointOf(client) === undefined;
}

function isBehindProxy(client: Client): boolean {
  const target = { ...STORAGE, ...endpointOf(client) };
  return client.environment.network.proxyOf?.(target) !== undefined;
}

function endpointOf({ environment }: Client) {
  return environment.endpoints.bigquery?.storageEndpoint;
}

async function open(client: Client): Promise<Opened> {
  const sdk = await client.sdk.loadStorage();
  const local = endpointOf(client);
  const reader = new sdk.storage.BigQueryReadClient({
    projectId: client.config.project_id,
    // the types are of another version of the library than the SDK's; the calls are the same
    authClient: client.tokens as never,
    // else the proxy of the environment is used by itself
    'grpc.enable_http_proxy': 0,
    ...(local === undefined
      ? {}
      : { apiEndpoint: local.host, port: local.port, sslCreds: sdk.grpc.credentials.createInsecure() as never }),
  });
  return { sdk, reader };
}

interface Beginning extends Opened {
  readonly client: Client;
  readonly result: JobResult;
  readonly signal: AbortSignal;
}

/** Longest wait for the rows, after which pages are quicker. */
const OPEN_MS = 30_000;
const ARROW = 'ARROW';

async function begin(beginning: Beginning): Promise<AsyncGenerator<Piece, undefined>> {
  const { client, reader, result, signal, sdk } = beginning;
  const job = await findJob(client, result.job, signal);
  const table = job.configuration?.query?.destinationTable;
  if (table === undefined)
    throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery returned no table for the result of its job.');
  const { projectId, datasetId, tableId } = table;
  const readSession = {
    table: `projects/${projectId}/datasets/${datasetId}/tables/${tableId}`,
    dataFormat: ARROW,
  } as const;
  const request = { parent: `projects/${client.config.project_id}`, readSession, maxStreamCount: 1 };
  const creating = reader.createReadSession(request, { timeout: OPEN_MS, retry: null as never });
  const [session] = await within(creating, { signal, limitMs: OPEN_MS });
  const name = session.streams?.[0]?.name;
  if (typeof name !== 'string') throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery opened no stream of rows.');
  const schema = Buffer.from((session.arrowSchema?.serializedSchema ?? '') as Uint8Array);
  const stream = await openRows({ ...beginning, name });
  const messages = messagesOf(stream, client, signal);
  const first = await messages.next();
  return piecesOf({ arrow: sdk.arrow, schema: withoutEnd(schema), shapes: result.shapes, first, messages });
}

/** Part of an answer that is read. */
interface Message {
  readonly arrowRecordBatch?: { readonly serializedRecordBatch?: Uint8Array } | null;
}

/**
 * Begins the call itself rather than the SDK's stream around it, which retries by itself and buffers three times sixteen
 * answers of a megabyte or more.
 */
async function openRows({ reader, sdk, name }: Beginning & { readonly name: string }) {
  const stub = await (reader.bigQueryReadStub ?? reader.initialize());
  const metadata = new sdk.grpc.Metadata();
  metadata.set('x-goog-request-params', `read_stream=${encodeURIComponent(name)}`);
  const call = stub as unknown as Record<'readRows', (request: object, metadata: unknown) => unknown>;
  return call.readRows({ readStream: name, offset: 0 }, metadata) as ClientReadableStream<Message>;
}

/** Yields the answers. Leaving the loop cancels the call on the server; a server that falls silent is given up. */
async function* messagesOf(
  stream: ClientReadableStream<Message>,
  { environment }: Client,
  signal: AbortSignal,
): AsyncGenerator<Message, undefined> {
  const limitMs = Math.round(environment.statementTimeoutMs * 1.1 + 1000);
  // after the end, nobody listens for the error of the cancel
  stream.on('error', () => undefined);
  // also cancels a stream from which no row was ever requested
  signal.addEventListener('abort', () => stream.cancel(), { once: true });
  const messages: AsyncIterator<Message> = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await within(messages.next(), { signal, limitMs });
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    stream.cancel();
  }
}

interface Reading {
  readonly arrow: StorageSdk['arrow'];
  readonly schema: Uint8Array;
  readonly shapes: readonly Shape[];
  readonly first: IteratorResult<Message, undefined>;
  readonly messages: AsyncGenerator<Message, undefined>;
}

async function* piecesOf({ arrow, schema, shapes, first, messages }: Reading): AsyncGenerator<Piece, undefined> {
  try {
    for (let next = first; !next.done; next = await messages.next()) {
      const batch = next.value.arrowRecordBatch?.serializedRecordBatch;
      if (batch === undefined) continue;
      for (const found of arrow.RecordBatchReader.from(Buffer.concat([schema, batch]))) {
        if (found.numRows > 0) yield pieceOf(found, shapes);
      }
    }
  } finally {
    await messages.return(undefined);
  }
}

/** End of a stream: a schema may arrive as a whole Arrow stream, whose end would also end what is read with it. */
const END_OF_STREAM = Buffer.from('ffffffff00000000', 'hex');

function withoutEnd(schema: Buffer): Buffer {
  const end = schema.length - END_OF_STREAM.length;
  return end > 0 && schema.subarray(end).equals(END_OF_STREAM) ? schema.subarray(0, end) : schema;
}

/** Returns a piece of rows. Columns are opened once for each batch, and rows are made on request. */
function pieceOf(batch: RecordBatch, shapes: readonly Shape[]): Piece {
  const names = batch.schema.fields.map(({ name }) => name);
  if (names.length !== shapes.length || names.some((name, at) => name !== shapes[at]?.column.name)) {
    throw new AppError(
      'WAREHOUSE_UNKNOWN',
      `BigQuery sends the columns ${names.join(', ')} instead of the columns of the result.`,
    );
  }
  const columns = shapes.flatMap((shape, at) => {
    const data = batch.data.children[at];
    return data === undefined ? [] : [openColumn(data, shape)];
  });
  return {
    rowCount: batch.numRows,
    rows: (from, to) =>
      readRows(
        columns.map((open) => open(from, to)),
        from,
        to,
      ),
  };
}
