// The part of BigQuery's REST API that queries need, as Google documents it: jobs that run by themselves, are waited for,
// paged and cancelled. What a query means is somebody else's: the emulator's, or a script's.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface WireField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly WireField[];
}
export interface WireRow {
  readonly f: readonly { readonly v: unknown }[];
}
/** An array, or something that makes rows when they are asked for. */
export type Rows = Pick<readonly WireRow[], 'length' | 'slice'>;
export interface QueryAnswer {
  readonly fields: readonly WireField[];
  readonly rows: Rows;
  /** The rows with timestamps as ISO 8601, for callers that ask for this format. */
  readonly isoRows?: Rows;
  /** Of DML. */
  readonly affectedRows?: number;
}
export interface QueryRequest {
  readonly query: string;
  readonly defaultDataset?: { readonly datasetId: string };
  readonly queryParameters?: readonly unknown[];
}
export interface WireError {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

/** Runs one query; throws a `WireError`. Aborted when the job is cancelled. */
export interface QueryEngine {
  run(request: QueryRequest, signal: AbortSignal): Promise<QueryAnswer>;
  /** Columns without running it, and what kind of statement it is. */
  describe(request: QueryRequest): Promise<{ readonly fields: readonly WireField[]; readonly statementType: string }>;
  /** Everything that is no job, such as datasets and tables. */
  other?(call: WireCall): Promise<{ readonly status: number; readonly body: unknown }>;
}

export interface WireCall {
  readonly method: string;
  /** Below `/bigquery/v2/projects/<project>`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly authorization?: string | undefined;
}

export interface WireJob {
  readonly id: string;
  readonly request: QueryRequest;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly location: string;
  readonly running: AbortController;
  readonly endTime: number;
  answer?: QueryAnswer;
  failure?: WireError;
}

/** What a test does to a call: an answer of its own, a socket that is dropped, an answer that never comes. */
export type Fault = { readonly status: number; readonly body: string; readonly type?: string } | 'drop' | 'hang';

export interface JobsApi extends AsyncDisposable {
  readonly port: number;
  /** By id. */
  readonly jobs: ReadonlyMap<string, WireJob>;
  /** Calls as they came. */
  readonly calls: readonly WireCall[];
  /** Answers by itself; undefined: as documented. */
  fault: (call: WireCall) => Fault | undefined;
  /** Jobs that run, and calls that wait. */
  busy(): number;
}

export async function openJobsApi(engine: QueryEngine): Promise<JobsApi> {
  const jobs = new Map<string, WireJob>();
  const calls: WireCall[] = [];
  const sockets = new Set<Socket>();
  let waiting = 0;
  const api: Omit<JobsApi, 'port'> = {
    jobs,
    calls,
    fault: () => undefined,
    busy: () => waiting + [...jobs.values()].filter((job) => !isDone(job)).length,
    async [Symbol.asyncDispose]() {
      for (const job of jobs.values()) job.running.abort();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    waiting += 1;
    response.on('close', () => {
      waiting -= 1;
    });
    void serve({ api, engine, jobs, calls }, request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(api, { port: (server.address() as AddressInfo).port });
}

interface Serving {
  readonly api: Pick<JobsApi, 'fault'>;
  readonly engine: QueryEngine;
  readonly jobs: Map<string, WireJob>;
  readonly calls: WireCall[];
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://x');
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = decodeURIComponent(url.pathname.replace(/^\/bigquery\/v2\/projects\/[^/]+/, ''));
  const call: WireCall = {
    method: request.method ?? 'GET',
    path,
    query: url.searchParams,
    body: Buffer.concat(parts).toString(),
    authorization: request.headers.authorization,
  };
  serving.calls.push(call);
  const fault = serving.api.fault(call);
  if (fault === 'hang') return;
  if (fault === 'drop') {
    request.socket.resetAndDestroy();
    return;
  }
  if (fault !== undefined) {
    response.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json' }).end(fault.body);
    return;
  }
  const { status, body } = await answer(serving, call).catch((thrown: unknown) => errorBody(thrown as WireError));
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function errorBody({ status = 500, reason = 'internalError', message = 'x' }: Partial<WireError>) {
  return { status, body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } } };
}

async function answer(serving: Serving, call: WireCall): Promise<{ readonly status: number; readonly body: unknown }> {
  const { engine, jobs } = serving;
  const [, kind, id = '', verb] = call.path.split('/');
  if (kind === 'jobs' && call.method === 'POST' && id === '') return ok(await insert(serving, call));
  if (kind === 'jobs' && verb === 'cancel') return ok({ job: cancel(jobOf(jobs, id)) });
  if (kind === 'jobs') return ok(jobBody(jobOf(jobs, id)));
  if (kind === 'queries') return ok(await results(jobOf(jobs, id), call.query));
  if (engine.other !== undefined) return await engine.other(call);
  throw { status: 404, reason: 'notFound', message: `Not found: ${call.path}` } satisfies WireError;
}

const ok = (body: unknown) => ({ status: 200, body });

function jobOf(jobs: ReadonlyMap<string, WireJob>, id: string): WireJob {
  const job = jobs.get(id);
  if (job !== undefined) return job;
  throw { status: 404, reason: 'notFound', message: `Not found: Job test:${id}` } satisfies WireError;
}

interface InsertBody {
  readonly jobReference?: { readonly jobId?: string; readonly location?: string };
  readonly configuration: Readonly<Record<string, unknown>> & {
    readonly query: QueryRequest;
    readonly dryRun?: boolean;
  };
}

async function insert({ engine, jobs }: Serving, call: WireCall): Promise<unknown> {
  const { jobReference = {}, configuration } = JSON.parse(call.body) as InsertBody;
  const { query: request, dryRun } = configuration;
  const location = jobReference.location ?? 'US';
  if (dryRun === true) return await dryRunBody(engine, request, location);
  const id = jobReference.jobId ?? '';
  if (jobs.has(id)) {
    throw {
      status: 409,
      reason: 'duplicate',
      message: `Already Exists: Job test:${location}.${id}`,
    } satisfies WireError;
  }
  const running = new AbortController();
  const job: WireJob = { id, request, configuration, location, running, endTime: Date.now() };
  jobs.set(id, job);
  void engine.run(request, running.signal).then(
    (found) => {
      if (!running.signal.aborted) job.answer = found;
    },
    (failure: WireError) => {
      job.failure ??= failure;
    },
  );
  return jobBody(job);
}

async function dryRunBody(engine: QueryEngine, request: QueryRequest, location: string): Promise<unknown> {
  const { fields, statementType } = await engine.describe(request);
  const query = { statementType, totalBytesProcessed: '1024', ...(fields.length === 0 ? {} : { schema: { fields } }) };
  return {
    jobReference: { projectId: 'test', location },
    status: { state: 'DONE' },
    statistics: { totalBytesProcessed: '1024', query },
  };
}

function isDone({ answer: found, failure }: WireJob): boolean {
  return found !== undefined || failure !== undefined;
}

function cancel(job: WireJob): unknown {
  if (!isDone(job)) {
    job.failure = {
      status: 400,
      reason: 'stopped',
      message: 'Job execution was cancelled: User requested cancellation',
    };
  }
  job.running.abort();
  return jobBody(job);
}

function jobBody(job: WireJob): unknown {
  const { id, location, answer: found, failure, configuration, endTime } = job;
  const errors = failure === undefined ? {} : { errorResult: failure, errors: [failure] };
  const destinationTable = { projectId: 'test', datasetId: '_anonymous', tableId: id };
  return {
    jobReference: { projectId: 'test', jobId: id, location },
    configuration: { ...configuration, query: { ...job.request, destinationTable } },
    status: { state: isDone(job) ? 'DONE' : 'RUNNING', ...errors },
    statistics: {
      endTime: String(endTime),
      query: found?.affectedRows === undefined ? {} : { numDmlAffectedRows: String(found.affectedRows) },
    },
  };
}

/** Google waits ten seconds; a test need not. */
const WAIT_MS = 500;

async function results(job: WireJob, query: URLSearchParams): Promise<unknown> {
  const began = performance.now();
  while (!isDone(job) && performance.now() - began < WAIT_MS) await new Promise((resolve) => setTimeout(resolve, 2));
  const jobReference = { projectId: 'test', jobId: job.id, location: job.location };
  if (job.failure !== undefined) throw job.failure;
  if (job.answer === undefined) return { jobReference, jobComplete: false };
  const { fields, affectedRows, isoRows } = job.answer;
  const isIso = query.get('formatOptions.timestampOutputFormat') === 'ISO8601_STRING';
  const rows = isIso && isoRows !== undefined ? isoRows : job.answer.rows;
  const start = Number(query.get('pageToken') ?? query.get('startIndex') ?? 0);
  const page = pageOf(rows, start, Number(query.get('maxResults') ?? rows.length));
  const end = start + page.length;
  return {
    ...{ jobReference, jobComplete: true, schema: { fields }, totalRows: String(rows.length) },
    ...(affectedRows === undefined ? {} : { numDmlAffectedRows: String(affectedRows) }),
    ...(end < rows.length ? { pageToken: String(end) } : {}),
    rows: page,
  };
}

/** Google's limit of one answer. */
const MOST_PAGE_CHARS = 10_000_000;

function pageOf(rows: Rows, start: number, most: number): readonly WireRow[] {
  const page = rows.slice(start, start + most);
  let chars = 0;
  const over = page.findIndex((row) => {
    chars += JSON.stringify(row).length;
    return chars > MOST_PAGE_CHARS;
  });
  return over <= 0 ? page : page.slice(0, over);
}
