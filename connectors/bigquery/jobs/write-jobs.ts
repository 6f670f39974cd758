// Jobs of write-back: each is created once, and none is ever found again by its name.
import { AppError } from '../../../src/kernel/index.ts';
import type { Client } from '../client.ts';
import type { WireValue } from '../wire.ts';
import { beginJob, cancelOnAbort } from './jobs.ts';
import { awaitPage, type JobPage, pagesFrom } from './result.ts';

export interface WriteStatement {
  readonly sql: string;
  /** Value of `@rows`. */
  readonly rows?: string;
  readonly label?: Readonly<Record<string, string>> | undefined;
}

interface Place {
  readonly client: Client;
  readonly location: string | undefined;
}

/** Runs a statement and returns how many rows BigQuery says it changed. */
export async function changeRows(place: Place, statement: WriteStatement, signal: AbortSignal): Promise<number> {
  const { numDmlAffectedRows: affected } = (await run(place, statement, signal)).page;
  if (affected !== undefined) return Number(affected);
  throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery did not return how many rows the statement changed.');
}

/** Returns the rows of a query as texts. */
export async function textsOf(
  place: Place,
  statement: WriteStatement,
  signal: AbortSignal,
): Promise<readonly (readonly (string | null)[])[]> {
  const found: (readonly (string | null)[])[] = [];
  for await (const { rows = [] } of pagesFrom(place.client, await run(place, statement, signal), signal)) {
    for (const { f } of rows) found.push(f.map(({ v }) => textOf(v)));
  }
  return found;
}

function textOf(value: WireValue): string | null {
  return value === null ? null : String(value);
}

async function run({ client, location }: Place, statement: WriteStatement, signal: AbortSignal): Promise<JobPage> {
  const { sql, rows, label } = statement;
  const parameters = rows === undefined ? {} : { rows };
  const job = await beginJob(client, { statement: { sql, parameters }, label, location }, signal);
  const leave = cancelOnAbort(client, job, signal);
  try {
    return { job, page: await awaitPage(client, job, signal) };
  } finally {
    await leave();
  }
}
