import { AppError } from '../../src/kernel/index.ts';
import type { Column, CostEstimate } from '../../src/warehouse/index.ts';
import { type Shape, shapeOf } from './cells/types.ts';
import type { Client } from './client.ts';
import { dryRun, type JobRequest } from './jobs/jobs.ts';
import type { WireJob } from './wire.ts';

/**
 * Describes the columns by a dry run, which executes nothing.
 * Throws SQL_REFUSED for anything but one SELECT, even where the gate let it pass.
 */
export async function describe(client: Client, request: JobRequest, signal: AbortSignal): Promise<readonly Column[]> {
  const job = requireSelect(await dryRun(client, request, signal));
  const fields = job.statistics?.query?.schema?.fields;
  if (fields === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery returned no columns for the statement.');
  return columnsOf(fields.map(shapeOf));
}

/** Estimates the bytes of the statement's tables in the columns that it names; the billed bytes are rounded up. */
export async function estimate(client: Client, request: JobRequest, signal: AbortSignal): Promise<CostEstimate> {
  const { statistics } = requireSelect(await dryRun(client, request, signal));
  const bytes = statistics?.totalBytesProcessed ?? statistics?.query?.totalBytesProcessed;
  if (bytes === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery returned no estimate for the statement.');
  return { unit: 'bytes', amount: Number(bytes) };
}

/**
 * Throws SQL_REFUSED for anything but a SELECT. BigQuery has no read-only transaction, so other statements are never started.
 */
export function requireSelect(job: WireJob): WireJob {
  const type = job.statistics?.query?.statementType;
  if (type === 'SELECT') return job;
  throw new AppError(
    'SQL_REFUSED',
    `BigQuery reads this as ${type === undefined ? 'no query' : type}; write a single SELECT that only reads.`,
  );
}

export function columnsOf(shapes: readonly Shape[]): readonly Column[] {
  return shapes.map(({ column }) => column);
}
