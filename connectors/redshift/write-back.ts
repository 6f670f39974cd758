// Write-back: each call has its own connection and one transaction, with staging in a TEMP table that ends with it. So nothing
// is ever left behind, and the session's own connections only read.
import type {
  Column,
  KeyCell,
  StagedRow,
  StagedRows,
  WriteBack,
  WriteBackRequest,
  WriteBackResult,
  WriteBackTarget,
} from '../../src/warehouse/index.ts';
import { applyStaged, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { cancellable } from '../_shared/cancellable.ts';
import { labelText } from '../_shared/label-text.ts';
import { clearSql, type StagingSql } from '../_shared/write-back-sql.ts';
import type { Copy } from './copy/copy.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import type { ConnectDeps } from './link/connect.ts';
import { copyLines } from './link/copy-in.ts';
import { type Link, openLink } from './link/link.ts';
import { analyzeSql, COMMIT, copySql, createStagingSql, insertSql, SAME_TEXT, STATEMENTS } from './statements.ts';

const { quoteIdentifier: quote } = dialect;

export interface WriteBackDeps extends ConnectDeps {
  /** Loads many rows through S3; undefined where the connection names no bucket. */
  readonly copy: Copy | undefined;
}

export function createWriteBack(deps: WriteBackDeps): WriteBack {
  const inTransaction = async <Result>(signal: AbortSignal, work: (link: Link) => Promise<Result>): Promise<Result> => {
    const link = await openLink(deps, signal, 'write');
    try {
      return await cancellable(link, signal, async () => {
        const result = await work(link);
        await link.run(COMMIT);
        return result;
      });
    } finally {
      // this rolls back what was not committed
      await link.close();
    }
  };
  return {
    apply: async (request, signal) =>
      request.rows.length === 0
        ? NOTHING_WRITTEN
        : await inTransaction(signal, (link) => apply(link, request, { signal, copy: deps.copy })),
    clear: async (target, mpids, signal) => {
      if (mpids.length === 0) return 0;
      return await inTransaction(signal, (link) => changeAll(link, clearSql(target, quote, mpids)));
    },
    // TEMP tables end with their session
    listStaging: async () => [],
    dropStaging: async () => undefined,
  };
}

interface Applying {
  readonly signal: AbortSignal;
  readonly copy: Copy | undefined;
}

async function apply(link: Link, request: WriteBackRequest, { signal, copy }: Applying): Promise<WriteBackResult> {
  const { target, rows, staging, label } = request;
  const { product } = link;
  if (label !== undefined) await link.run(STATEMENTS[product].label(labelText(label)));
  const sql: StagingSql = { target, staging, quote, sameText: SAME_TEXT[product] };
  const create = () => link.run(createStagingSql(product, sql));
  if (product === 'Redshift' && copy !== undefined && rows.length > insertedRows(target)) {
    await copy({ link, target, staging, rows: cellsOf(rows), create, signal });
  } else {
    await create();
    if (product === 'PostgreSQL') await copyAll(link, sql, rows);
    else await insertAll(link, sql, rows);
  }
  const work = { sql, change: (text: string) => change(link, text), ask: (text: string) => link.run(text) };
  return await applyStaged(work, request, signal);
}

async function copyAll(link: Link, { staging }: StagingSql, rows: StagedRows): Promise<void> {
  await link.copy(copySql(staging), copyLines(cellsOf(rows)));
  // a plan for a table that is assumed empty would compare each row with each
  await link.run(analyzeSql(staging));
}

/** Yields the cells of the rows in the order of staging's columns. */
function* cellsOf(rows: Iterable<StagedRow>): Generator<readonly KeyCell[], void, undefined> {
  for (const { key, readMpid, mpid } of rows) yield [...key, readMpid, mpid];
}

/** Parameters of one statement, below Redshift's limit of 32,767. */
const MOST_PARAMETERS = 32_000;

/** Returns the rows of one INSERT. So many are not loaded by COPY, which needs three requests to S3 besides its statement. */
function insertedRows({ key }: WriteBackTarget): number {
  return Math.floor(MOST_PARAMETERS / (key.length + 2));
}

async function insertAll(link: Link, { target, staging }: StagingSql, rows: StagedRows): Promise<void> {
  const types = [...target.key.map(parameterType), BIGINT, BIGINT];
  const casts = [...target.key.map(castOf), null, null];
  for (const part of partsOf(rows, insertedRows(target))) {
    await link.messages({
      send: (wire) => {
        wire.parse({ text: insertSql(staging, casts, part.length), types: part.flatMap(() => types) });
        wire.bind({ values: [...cellsOf(part)].flat().map((cell) => (cell === null ? null : String(cell))) });
        wire.execute({});
      },
    });
  }
}

function* partsOf(rows: StagedRows, most: number): Generator<readonly StagedRow[], void, undefined> {
  let part: StagedRow[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < most) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

const BIGINT = 20;
const VARCHAR = 1043;
const NUMERIC = 1700;

/** Returns the type of a parameter, which the server would otherwise take for text. */
function parameterType(column: Column): number {
  if (column.type === 'integer') return BIGINT;
  return column.type === 'decimal' && castOf(column) === null ? NUMERIC : VARCHAR;
}

/**
 * Returns the cast of a column: on Redshift, a parameter of type NUMERIC has no places after the point and would be rounded.
 */
function castOf({ type, nativeType }: Column): string | null {
  return type === 'decimal' && nativeType.includes('(') ? nativeType : null;
}

/** Runs a statement that writes. Its refusal names the grant to update: the table could be read. */
async function change(link: Link, statement: string): Promise<number> {
  return await link.change(statement).catch((failure: unknown) => {
    throw classify(failure, 'UPDATE');
  });
}

async function changeAll(link: Link, statements: readonly string[]): Promise<number> {
  let changed = 0;
  for (const statement of statements) changed += await change(link, statement);
  return changed;
}
