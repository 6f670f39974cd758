// Write-back: each call has its own session, with staging in a TEMPORARY table, which no other session sees and which ends with
// this one. Updates and the check for conflicts are one transaction; the statements before them would end any other.
import {
  type Column,
  STAGING_SCHEMA,
  type WriteBack,
  type WriteBackRequest,
  type WriteBackResult,
} from '../../src/warehouse/index.ts';
import { applyStaged, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { labelText } from '../_shared/label-text.ts';
import { stagedPieces } from '../_shared/staged-pieces.ts';
import { clearSql, type StagingSql, sameTextBy } from '../_shared/write-back-sql.ts';
import { dialect } from './dialect.ts';
import { fewRows } from './few-rows.ts';
import { type Link, type LinkDeps, openLink } from './link/link.ts';
import { nameSql } from './names.ts';
import { BEGIN, COMMIT, createStagingSql, loadSql } from './statements.ts';

const { quoteIdentifier: quote } = dialect;
const sameText = sameTextBy(dialect);

export function createWriteBack(deps: LinkDeps): WriteBack {
  const inSession = async <Result>(
    { signal, tag }: { readonly signal: AbortSignal; readonly tag?: string | undefined },
    work: (writer: Writer) => Promise<Result>,
  ): Promise<Result> => {
    const link = await openLink(deps, signal);
    try {
      return await work(writerOf(link, signal, tag));
    } finally {
      // this drops the staging table and rolls back what was not committed
      await link.close();
    }
  };
  return {
    apply: async (request, signal) => {
      if (request.rows.length === 0) return NOTHING_WRITTEN;
      const tag = request.label === undefined ? undefined : labelText(request.label);
      const staging = `${nameSql(deps.config.database)}.${STAGING_SCHEMA}.${request.staging}`;
      return await inSession({ signal, tag }, (writer) => apply(writer, { ...request, staging }, signal));
    },
    clear: async (target, mpids, signal) => {
      if (mpids.length === 0) return 0;
      return await inSession({ signal }, (writer) =>
        writer.inTransaction(() => changeAll(writer, clearSql(target, quote, mpids))),
      );
    },
    // temporary tables end with their session
    listStaging: async () => [],
    dropStaging: async () => undefined,
  };
}

interface Writer {
  run(sql: string, values?: readonly string[]): Promise<void>;
  /** Runs a statement and returns the number of rows that it changed. */
  change(sql: string): Promise<number>;
  /** Returns the rows of a query as texts. */
  ask(sql: string): Promise<readonly (readonly (string | null)[])[]>;
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

function writerOf(link: Link, signal: AbortSignal, tag: string | undefined): Writer {
  const rows = (text: string, values: readonly string[] = []) => fewRows(link, { text, values }, { signal, tag });
  return {
    async run(sql, values) {
      await rows(sql, values);
    },
    // the SDK's own count includes rows with several sources
    change: async (sql) => Number((await rows(sql))[0]?.[0] ?? 0),
    ask: async (sql) => (await rows(sql)).map((row) => row.map((cell) => (cell === null ? null : String(cell)))),
    async inTransaction(work) {
      await rows(BEGIN);
      const result = await work();
      await rows(COMMIT);
      return result;
    },
  };
}

async function apply(writer: Writer, request: WriteBackRequest, signal: AbortSignal): Promise<WriteBackResult> {
  const { target, staging, rows } = request;
  const sql: StagingSql = { target, staging, quote, sameText };
  await writer.run(createStagingSql(sql));
  const insert = loadSql(staging, target.key.map(typeOf));
  for (const json of stagedPieces(rows, PIECE_CHARACTERS)) await writer.run(insert, [json]);
  return await writer.inTransaction(() => applyStaged({ ...writer, sql }, request, signal));
}

/** Returns the type that a text of the key is cast to. */
function typeOf({ type, nativeType }: Column): string {
  return type === 'integer' || type === 'decimal' ? nativeType : 'VARCHAR';
}

/** Characters of one piece: a bound value holds 16 MB at most. */
const PIECE_CHARACTERS = 4_000_000;

async function changeAll(writer: Writer, statements: readonly string[]): Promise<number> {
  let changed = 0;
  for (const statement of statements) changed += await writer.change(statement);
  return changed;
}
