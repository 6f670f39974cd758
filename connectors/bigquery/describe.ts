import { AppError } from '../../src/kernel/index.ts';
import type { Column, CostEstimate, ModelStatement } from '../../src/warehouse/index.ts';
import { type Shape, shapeOf } from './cells/types.ts';
import type { Client } from './client.ts';
import { dryRun, type JobRequest } from './jobs/jobs.ts';
import { filteredBy, requiredColumns } from './partition-filter.ts';
import type { WireJob } from './wire.ts';

export interface Described {
  readonly columns: readonly Column[];
  /** Column whose filter the tables of the model require. Absent: none. */
  readonly partitionColumn?: string;
}

/**
 * Describes the columns by a dry run, which executes nothing. A model over a table that requires a partition filter is
 * described with one. Throws SQL_REFUSED for anything but one SELECT, even where the gate let it pass.
 */
export async function describe(client: Client, request: DescribeRequest, signal: AbortSignal): Promise<Described> {
  try {
    return { columns: await columnsBy(client, request, signal) };
  } catch (failure) {
    const required = requiredColumns(failure);
    if (required === undefined) throw failure;
    const { iterator } = request.statement;
    for (const partitionColumn of new Set([...required, ...(iterator === undefined ? [] : [iterator])])) {
      const statement = filteredBy(request.statement, partitionColumn);
      const columns = await columnsBy(client, { ...request, statement }, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (columns !== undefined) return { columns, partitionColumn };
    }
    throw failure;
  }
}

interface DescribeRequest extends JobRequest {
  readonly statement: ModelStatement;
}

async function columnsBy(client: Client, request: JobRequest, signal: AbortSignal): Promise<readonly Column[]> {
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
