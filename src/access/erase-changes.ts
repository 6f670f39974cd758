import { isRawNumber, type Json, parseJson, stringifyJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

const AT_ONCE = 1_000;

/** Stands in an entry for what named a person: who did what to what and when stays on record, about whom does not. */
const ERASED = 'erased';

interface ChangeRow {
  readonly id: bigint;
  readonly detail: string;
}

export interface ChangesPart {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  /** Whether a value names the person. */
  readonly namesPerson: (value: Json) => boolean;
  /** The last one of the part before. */
  readonly after?: bigint | undefined;
  /** Only counts. */
  readonly isPreview?: boolean;
}

/**
 * Takes a person's name out of the next entries of the audit log; `next`: where the following part begins; absent: there are
 * no more. The first part takes all looks at the person's profiles, which an index finds: what they say beside the MPID
 * names nobody. The others are read one after the other. Entries stay: a log from which the erased could be told by its gaps would be none.
 */
export async function eraseFromChanges(
  sql: Sql,
  { workspaceId, mpids, namesPerson, after, isPreview = false }: ChangesPart,
): Promise<{ readonly erased: number; readonly next?: bigint }> {
  const looks = after === undefined ? await eraseLooks(sql, { workspaceId, mpids, isPreview }) : 0;
  const page = await sql.query<ChangeRow>(
    `SELECT id, detail FROM audit_log WHERE workspace_id = $1 AND id > $2 AND resource NOT LIKE 'profile/%'
     ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const named = page.filter(({ detail }) => namesPerson(parseJson(detail)));
  if (named.length > 0 && !isPreview) {
    const nameless = named.map((row) => withoutPerson(row, namesPerson));
    await replaceChanges(sql, workspaceId, nameless);
  }
  const last = page.at(-1);
  return { erased: looks + named.length, ...(last !== undefined && page.length === AT_ONCE && { next: last.id }) };
}

type Looks = Pick<ChangesPart, 'workspaceId' | 'mpids' | 'isPreview'>;

/** How many entries tell of a look at one of the profiles, and tell of none any more. */
async function eraseLooks(sql: Sql, { workspaceId, mpids, isPreview = false }: Looks): Promise<number> {
  const profiles = mpids.map((mpid) => `profile/${mpid}`);
  return isPreview
    ? await countLooks(sql, workspaceId, profiles)
    : await sql.execute(
        `UPDATE audit_log SET resource = $3
         WHERE workspace_id = $1 AND resource LIKE 'profile/%' AND resource = ANY ($2::text[])`,
        [workspaceId, profiles, `profile/${ERASED}`],
      );
}

async function countLooks(sql: Sql, workspaceId: WorkspaceId, profiles: readonly string[]): Promise<number> {
  const [row] = await sql.query<{ readonly count: bigint }>(
    `SELECT count(*) AS count FROM audit_log
     WHERE workspace_id = $1 AND resource LIKE 'profile/%' AND resource = ANY ($2::text[])`,
    [workspaceId, profiles],
  );
  return Number(row?.count ?? 0n);
}

/** An entry about a pipeline, a group … is still about that. */
function withoutPerson({ id, detail }: ChangeRow, namesPerson: ChangesPart['namesPerson']): ChangeRow {
  return { id, detail: stringifyJson(masked(parseJson(detail), '', namesPerson)) };
}

/** The value with all in it masked that names the person; `name`: of the field that holds it, which may say what it is. */
function masked(value: Json, name: string, namesPerson: ChangesPart['namesPerson']): Json {
  const isNamed = (leaf: Json) => namesPerson({ [name]: leaf });
  if (isList(value)) return value.map((item) => masked(item, name, namesPerson));
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key, namesPerson)]));
  }
  if (!isNamed(value)) return value;
  const text = typeof value === 'string' ? value.replace(PIECE, (piece) => (isNamed(piece) ? ERASED : piece)) : ERASED;
  return isNamed(text) ? ERASED : text;
}

/** What a longer text, such as a statement, is made of. */
const PIECE = /[^\s"'`,;:()<>=[\]{}]+/g;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

async function replaceChanges(sql: Sql, workspaceId: WorkspaceId, changes: readonly ChangeRow[]): Promise<void> {
  await sql.execute(
    `UPDATE audit_log SET detail = named.detail FROM unnest($2::bigint[], $3::text[]) AS named (id, detail)
     WHERE audit_log.workspace_id = $1 AND audit_log.id = named.id`,
    [workspaceId, changes.map(({ id }) => id), changes.map(({ detail }) => detail)],
  );
}
