// Query jobs: one statement, begun, awaited, cancelled. A job's result is a table of its own, which never changes and is kept
// for a day.
import { AppError, systemClock } from '../../../src/kernel/index.ts';
import type { Statement } from '../../../src/warehouse/index.ts';
import { type Client, Verbatim } from '../client.ts';
import { classify, reasonOf } from '../errors.ts';
import type { ErrorProto, JobReference, WireJob } from '../wire.ts';
import { type JobName, jobNames, labelsOf } from './job-names.ts';

export interface JobRequest {
  readonly statement: Statement;
  readonly label?: Readonly<Record<string, string>> | undefined;
  /** Location of the job; undefined where BigQuery derives it from the statement. */
  readonly location: string | undefined;
  /** Key of a run's own SELECT, under which its job is found again. Statements that write have none. */
  readonly snapshotKey?: string | undefined;
}

/** Returns BigQuery's answer to a dry run: nothing runs and nothing is billed. */
export async function dryRun(client: Client, request: JobRequest, signal: AbortSignal): Promise<WireJob> {
  const body = {
    configuration: { ...configurationOf(client, request), dryRun: true },
    ...jobReference(client, request),
  };
  const job = await client.call<WireJob>({ method: 'POST', path: '/jobs', body }, signal);
  return requireSound(job);
}

/** Begins the statement's job, or finds the job that was begun under the same key. */
export async function beginJob(client: Client, request: JobRequest, signal: AbortSignal): Promise<JobReference> {
  const { statement, snapshotKey } = request;
  const { project_id: project, dataset_id: dataset } = client.config;
  const names = jobNames(statement, `${project}.${dataset}`, snapshotKey);
  return await beginNamed({ client, request, names, signal }, 1);
}

/** Number of names: a job that failed or was cancelled keeps its name, and the next attempt takes another. */
const MOST_NAMES = 50;

interface Beginning {
  readonly client: Client;
  readonly request: JobRequest;
  readonly names: JobName;
  readonly signal: AbortSignal;
}

async function beginNamed(beginning: Beginning, attempt: number): Promise<JobReference> {
  const { client, request, names, signal } = beginning;
  if (attempt > MOST_NAMES)
    throw new AppError('WAREHOUSE_UNKNOWN', `BigQuery lost all ${MOST_NAMES} jobs of this statement.`);
  const reference = { projectId: client.config.project_id, jobId: names(attempt), ...locationOf(request) };
  const body = { jobReference: reference, configuration: configurationOf(client, request) };
  const leave = cancelOnAbort(client, reference, signal);
  try {
    const job = requireSound(await insert(client, body, signal));
    return { ...reference, ...job.jobReference };
  } catch (failure) {
    if (reasonOf(failure) !== 'duplicate') throw failure;
    const found = await findJob(client, reference, signal);
    return isOfUse(found) ? { ...reference, ...found.jobReference } : await beginNamed(beginning, attempt + 1);
  } finally {
    await leave();
  }
}

/** Number of inserts: one that may have been lost is sent again, and the name makes them one job. */
const INSERTS = 3;
const AGAIN_MS = 500;

async function insert(client: Client, body: object, signal: AbortSignal): Promise<WireJob> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await client.call<WireJob>({ method: 'POST', path: '/jobs', body }, signal);
    } catch (failure) {
      if (sent === INSERTS || signal.aborted || !mayBeLost(failure)) throw failure;
      await systemClock.sleep(AGAIN_MS * sent, signal);
    }
  }
}

function mayBeLost(failure: unknown): boolean {
  return ['WAREHOUSE_UNREACHABLE', 'WAREHOUSE_SESSION_LOST'].includes(classify(failure).code);
}

export async function findJob(
  client: Client,
  { jobId, location }: JobReference,
  signal: AbortSignal,
): Promise<WireJob> {
  return await client.call<WireJob>({ method: 'GET', path: `/jobs/${jobId}`, query: { location } }, signal);
}

/** Age up to which a result is reused: results live for 24 hours, and reading them takes time. */
const FRESH_MS = 20 * 3_600_000;

function isOfUse({ status, statistics }: WireJob): boolean {
  if (status?.errorResult !== undefined) return false;
  return status?.state !== 'DONE' || Number(statistics?.endTime ?? 0) > systemClock.nowMs() - FRESH_MS;
}

function requireSound(job: WireJob): WireJob {
  if (job.status?.errorResult !== undefined) throw jobFailure(job.status.errorResult);
  return job;
}

const CANCEL_AGAIN_MS = 200;
const CANCEL_PATIENCE_MS = 2500;

/**
 * Cancels the job on the server when the signal aborts. The returned function removes that handler and waits a bounded time for
 * a cancel under way. The job may not exist yet when it is cancelled, so the cancel is repeated until it does.
 */
export function cancelOnAbort(client: Client, job: JobReference, signal: AbortSignal): () => Promise<void> {
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    cancelling ??= insist(client, job);
  };
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  };
}

async function insist(client: Client, { jobId, location }: JobReference): Promise<void> {
  const over = new AbortController();
  const patience = systemClock.sleep(CANCEL_PATIENCE_MS, over.signal).finally(() => over.abort());
  const call = { method: 'POST', path: `/jobs/${jobId}/cancel`, query: { location } } as const;
  while (!over.signal.aborted) {
    const isCancelled = await client.call(call, over.signal).then(
      () => true,
      () => false,
    );
    if (isCancelled) over.abort();
    else await systemClock.sleep(CANCEL_AGAIN_MS, over.signal).catch(() => undefined);
  }
  await patience.catch(() => undefined);
}

function locationOf({ location }: JobRequest): { readonly location?: string } {
  return location === undefined ? {} : { location };
}

function jobReference({ config }: Client, request: JobRequest) {
  return { jobReference: { projectId: config.project_id, ...locationOf(request) } };
}

function configurationOf({ config, environment }: Client, { statement, label }: JobRequest) {
  const most = config.maximum_bytes_billed ?? environment.bigquery.maxBytesBilled;
  return {
    labels: labelsOf(label),
    jobTimeoutMs: String(environment.statementTimeoutMs),
    query: {
      query: new Verbatim(statement.sql),
      useLegacySql: false,
      defaultDataset: { projectId: config.project_id, datasetId: config.dataset_id },
      ...(most === 0 ? {} : { maximumBytesBilled: String(most) }),
      parameterMode: 'NAMED',
      queryParameters: Object.entries(statement.parameters).map(([name, value]) => ({
        name,
        parameterType: { type: 'STRING' },
        parameterValue: { value: new Verbatim(String(value)) },
      })),
    },
  };
}

/** Returns an error with the SDK's fields for a failed job, whose status reports the failure while the call itself succeeds. */
function jobFailure(result: ErrorProto): Error {
  return Object.assign(new Error(result.message ?? 'The job failed.'), { errors: [result] });
}
