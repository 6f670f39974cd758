// Write-back: each call has one transaction in the child, with staging in a TEMP table, which no other connection sees and no
// file holds. The file is open for writing as long as the session is.
import { AppError } from '../../src/kernel/index.ts';
import type { StagedRow, WriteBack, WriteBackRequest, WriteBackResult } from '../../src/warehouse/index.ts';
import { applyStaged, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { clearSql, type StagingSql, sameTextBy, stagingColumnsSql } from '../_shared/write-back-sql.ts';
import { dialect } from './dialect.ts';
import type { CallLimits, Host } from './host/host.ts';
import type { Texts } from './wire/messages.ts';

const { quoteIdentifier: quote } = dialect;
const sameText = sameTextBy(dialect);

/** Returns the child and the limits of a call in it. */
export type Reach = (signal: AbortSignal) => Promise<{ readonly host: Host; readonly limits: CallLimits }>;

export function createWriteBack(reach: Reach): WriteBack {
  return {
    apply: async (request, signal) =>
      request.rows.length === 0
        ? NOTHING_WRITTEN
        : await inTransaction(await reach(signal), (transaction) => apply(transaction, request, signal)),
    clear: async (target, mpids, signal) =>
      inTransaction(await reach(signal), async ({ change }) => {
        let changed = 0;
        for (const statement of clearSql(target, quote, mpids)) changed += await change(statement);
        return changed;
      }),
    // TEMP tables end with their connection
    listStaging: async () => [],
    dropStaging: async () => undefined,
  };
}

/** The statements of one transaction. */
interface Transaction {
  change(sql: string): Promise<number>;
  ask(sql: string): Promise<Texts>;
  append(table: string, rows: Texts): Promise<void>;
}

/** Number of the last transaction; a child is told its transactions by numbers. */
let transactions = 0;

async function inTransaction<T>(
  { host, limits }: Awaited<ReturnType<Reach>>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  transactions += 1;
  const transaction = transactions;
  await host.call('begin', { transaction }, limits);
  const end = (commit: boolean) => host.call('end', { transaction, commit }, limits);
  try {
    const result = await work({
      change: async (sql) => await host.call('change', { transaction, sql }, limits),
      ask: async (sql) => await host.call('askWithin', { transaction, sql }, limits),
      append: async (table, rows) => void (await host.call('append', { transaction, table, rows }, limits)),
    });
    await end(true);
    return result;
  } catch (failure) {
    await end(false).catch((ending: unknown) => {
      // the time limit, which interrupts whatever statement is running
      if (ending instanceof AppError && ending.code === 'WAREHOUSE_TIMEOUT') throw ending;
    });
    throw failure;
  }
}

async function apply(
  transaction: Transaction,
  request: WriteBackRequest,
  signal: AbortSignal,
): Promise<WriteBackResult> {
  const { target, staging, rows } = request;
  const { change, ask, append } = transaction;
  const sql: StagingSql = { target, staging, quote, sameText };
  await change(`CREATE TEMP TABLE ${staging} AS ${stagingColumnsSql(sql)}`);
  for (const slice of slicesOf(rows)) {
    signal.throwIfAborted();
    await append(staging, slice.map(textsOf));
  }
  const result = await applyStaged({ sql, change, ask }, request, signal);
  await change(`DROP TABLE ${staging}`);
  return result;
}

/** Rows of one message: about 5 ms. */
const SLICE_ROWS = 4096;

function* slicesOf(rows: Iterable<StagedRow>): Generator<readonly StagedRow[], undefined> {
  let slice: StagedRow[] = [];
  for (const row of rows) {
    slice.push(row);
    if (slice.length < SLICE_ROWS) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** Returns the key as texts, which DuckDB casts to the columns' types, then the read and the new MPID. */
function textsOf({ key, readMpid, mpid }: StagedRow): readonly (string | null)[] {
  const text = (value: string | bigint | null) => (value === null ? null : String(value));
  return [...key.map(text), text(readMpid), String(mpid)];
}
