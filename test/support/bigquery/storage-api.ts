// The Storage Read API over gRPC without TLS, for the results of a `JobsApi`.
import { protos } from '@google-cloud/bigquery-storage';
import * as grpc from '@grpc/grpc-js';
import { batchBytes, schemaBytes } from './arrow-writer.ts';
import type { JobsApi, QueryAnswer } from './jobs-api.ts';

export interface StorageApi extends AsyncDisposable {
  readonly port: number;
  /** Calls that have not ended. */
  streams(): number;
  /** Breaks a stream before its batch of that number. A status overtakes rows that nobody has read yet. */
  fault: (batch: number) => StreamFault | Promise<StreamFault>;
  /** Refuses to open a session. */
  refusal: { readonly code: number; readonly details: string } | undefined;
}

/** A status of gRPC; undefined: as documented. */
export type StreamFault = { readonly code: number; readonly details: string } | 'hang' | undefined;

/** Google's batches differ in size and hold about so many. */
export const BATCH_ROWS = 2000;

export async function openStorageApi(api: Pick<JobsApi, 'jobs'>): Promise<StorageApi> {
  let open = 0;
  const storage: Omit<StorageApi, 'port' | typeof Symbol.asyncDispose> = {
    streams: () => open,
    fault: () => undefined,
    refusal: undefined,
  };
  const server = new grpc.Server({ 'grpc.max_send_message_length': -1 });
  server.addService(SERVICE, {
    createReadSession: (call: Unary, done: grpc.sendUnaryData<object>) => {
      if (storage.refusal !== undefined) return done(storage.refusal);
      const { table } = call.request.readSession;
      const answer = api.jobs.get(table.split('/').at(-1) ?? '')?.answer;
      if (answer === undefined) return done({ code: grpc.status.NOT_FOUND, details: `Not found: Table ${table}` });
      const arrowSchema = { serializedSchema: schemaBytes(answer.fields) };
      return done(null, { name: 's', streams: [{ name: table }], arrowSchema });
    },
    readRows: (call: Streaming) => {
      open += 1;
      const answer = api.jobs.get(call.request.readStream.split('/').at(-1) ?? '')?.answer;
      void sendRows(call, answer ?? { fields: [], rows: [] }, storage)
        .catch((failure: Error) => call.emit('error', failure))
        .finally(() => {
          open -= 1;
        });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (failure, bound) =>
      failure === null ? resolve(bound) : reject(failure),
    );
  });
  return Object.assign(storage, { port, [Symbol.asyncDispose]: async () => server.forceShutdown() });
}

interface Unary {
  readonly request: { readonly readSession: { readonly table: string } };
}
type Streaming = grpc.ServerWritableStream<{ readonly readStream: string; readonly offset: string }, object>;

async function sendRows(
  call: Streaming,
  { fields, rows }: QueryAnswer,
  { fault }: Pick<StorageApi, 'fault'>,
): Promise<void> {
  const made = batchesOf(rows);
  let batch = 0;
  for (let at = Number(call.request.offset); at < rows.length && !call.cancelled; at += BATCH_ROWS) {
    const failure = await fault(batch);
    if (failure === 'hang') return await ended(call);
    if (failure !== undefined) {
      call.emit('error', failure);
      return;
    }
    const rowCount = Math.min(BATCH_ROWS, rows.length - at);
    const serializedRecordBatch = made.take(at) ?? made.keep(at, batchBytes(fields, rows.slice(at, at + BATCH_ROWS)));
    if (!call.write({ arrowRecordBatch: { serializedRecordBatch, rowCount }, rowCount })) {
      await Promise.race([new Promise<void>((resolve) => call.once('drain', resolve)), ended(call)]);
    }
    batch += 1;
    // a series without an end would hold up everything else
    await new Promise((resolve) => setImmediate(resolve));
  }
  call.end();
}

const BATCHES = new WeakMap<object, Map<number, Buffer>>();

/** Batches of rows that are there are made once; those of rows that are made up as they go are not kept. */
function batchesOf(rows: QueryAnswer['rows']) {
  const known = BATCHES.get(rows) ?? new Map<number, Buffer>();
  if (Array.isArray(rows)) BATCHES.set(rows, known);
  return {
    take: (at: number) => known.get(at),
    keep(at: number, bytes: Buffer) {
      if (Array.isArray(rows)) known.set(at, bytes);
      return bytes;
    },
  };
}

function ended(call: Streaming): Promise<void> {
  if (call.cancelled) return Promise.resolve();
  return new Promise((resolve) => {
    call.once('cancelled', () => resolve());
    call.once('close', () => resolve());
  });
}

/** As the SDK's own messages say it. */
const { CreateReadSessionRequest, ReadSession, ReadRowsRequest, ReadRowsResponse } =
  protos.google.cloud.bigquery.storage.v1;
const PATH = '/google.cloud.bigquery.storage.v1.BigQueryRead';

interface Messages {
  decode(bytes: Buffer): object;
  encode(message: object): { finish(): Uint8Array };
}

function method(path: string, [request, response]: readonly [Messages, Messages], responseStream: boolean) {
  return {
    ...{ path: `${PATH}/${path}`, requestStream: false, responseStream },
    requestSerialize: (message: object) => Buffer.from(request.encode(message).finish()),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (message: object) => Buffer.from(response.encode(message).finish()),
    responseDeserialize: (bytes: Buffer) => response.decode(bytes),
  };
}

const SERVICE: grpc.ServiceDefinition = {
  createReadSession: method('CreateReadSession', [CreateReadSessionRequest, ReadSession], false),
  readRows: method('ReadRows', [ReadRowsRequest, ReadRowsResponse], true),
};
