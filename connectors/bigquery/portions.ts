// A write-back in portions, which one MERGE writes: each MERGE scans the whole target, and BigQuery bills what it scans.
import { AppError } from '../../src/kernel/index.ts';
import {
  STAGING_SCHEMA,
  type StagedRows,
  type WriteBackPortions,
  type WriteBackRequest,
  type WriteBackResult,
} from '../../src/warehouse/index.ts';
import { checkLoaded, NOTHING_WRITTEN } from '../_shared/apply-staged.ts';
import { stagedPieces } from '../_shared/staged-pieces.ts';
import { conflictsOf, type FoundConflicts, loadedSql, withholdSql } from '../_shared/write-back-sql.ts';
import type { Client } from './client.ts';
import { quoteIdentifier } from './dialect.ts';
import { changeRows, textsOf } from './jobs/write-jobs.ts';
import { everyRowOf } from './partition-filter.ts';
import { createStaging, dropTables } from './staging.ts';
import {
  ambiguousSql,
  conflictsSql,
  loadSql,
  mergeSql,
  type Search,
  type Staging,
  settleSql,
} from './write-back-sql.ts';

export interface WriteBackDeps {
  readonly client: Client;
  readonly location: string | undefined;
}

type Request = Omit<WriteBackRequest, 'rows'>;

/** Opens a write-back in portions. `open` signs in, or returns what the session has. */
export function openPortions(
  open: (signal: AbortSignal) => Promise<WriteBackDeps>,
  request: Request,
): WriteBackPortions {
  let created: WriteBackDeps | undefined;
  let [loaded, pieces] = [0, 0];
  const create = async (signal: AbortSignal): Promise<WriteBackDeps> => {
    const deps = await open(signal);
    // before the call, whose answer may be lost
    created = deps;
    await createStaging(deps.client, { name: request.staging, target: request.target }, signal);
    return deps;
  };
  return {
    async load(rows: StagedRows, signal) {
      if (rows.length === 0) return;
      const deps = created ?? (await create(signal));
      const staging = stagingOf(deps, request);
      for (const json of stagedPieces(rows, PIECE_CHARACTERS)) {
        const sql = loadSql(staging, pieces * MOST_PIECE_ROWS);
        pieces += 1;
        await changeRows(deps, { sql, rows: json, label: request.label }, signal);
      }
      loaded += rows.length;
    },
    apply: async (signal) =>
      created === undefined ? NOTHING_WRITTEN : await write(created, { request, loaded }, signal),
    async [Symbol.asyncDispose]() {
      // also after an abort, when nothing else is sent any more
      const { signal } = new AbortController();
      if (created !== undefined) await dropTables(created.client, [request.staging], signal).catch(() => undefined);
    },
  };
}

interface Loaded {
  readonly request: Request;
  /** Number of all loaded rows. */
  readonly loaded: number;
}

async function write(deps: WriteBackDeps, { request, loaded }: Loaded, signal: AbortSignal): Promise<WriteBackResult> {
  const { label, target, mostListed } = request;
  const everyRow = await everyRowOf(deps.client, target.table, signal);
  const staging: Staging = { ...stagingOf(deps, request), everyRow };
  const change = (sql: string) => changeRows(deps, { sql, label }, signal);
  const ask = (sql: string) => textsOf(deps, { sql, label }, signal);
  const search = async ({ count, list }: Search): Promise<FoundConflicts> => {
    const [[found = null] = []] = await ask(count);
    const rows = Number(found) === 0 ? [] : await ask(list(mostListed));
    const counted = rows.map((row) => [...row, found]);
    // the rows may have changed since they were counted
    return { ...conflictsOf({ target }, counted), count: Number(found) };
  };
  await checkLoaded({ length: loaded }, () => ask(loadedSql({ staging: staging.table })));
  // before MPIDs are withheld: a key of two people stays one of two people when one of them is erased
  const ambiguous = await search(ambiguousSql(staging));
  await change(settleSql(staging));
  const withheld = await request.beforeUpdate();
  if (signal.aborted) throw new AppError('CANCELLED', 'The write-back was cancelled before the update.');
  for (const sql of withholdSql({ staging: staging.table }, withheld)) await change(sql);
  const updated = await change(mergeSql(staging));
  const changed = await search(conflictsSql(staging));
  const listed = [...ambiguous.listed.map((each) => ({ ...each, found: 'ambiguous' as const })), ...changed.listed];
  return { updated, conflicts: ambiguous.count + changed.count, listed: listed.slice(0, mostListed) };
}

function stagingOf({ client }: WriteBackDeps, { staging, target }: Request): Staging {
  return { target, table: quoteIdentifier(`${client.config.project_id}.${STAGING_SCHEMA}.${staging}`) };
}

/** Characters of one piece: a job's request holds 10 MB at most, and its parameters are JSON in it, with quotes escaped. */
const PIECE_CHARACTERS = 2_000_000;

/** More rows than a piece can have. The ids of a piece's rows begin with a multiple of it. */
const MOST_PIECE_ROWS = PIECE_CHARACTERS;
