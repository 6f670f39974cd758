import { isRawNumber, type Json, parseJson, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';

const AT_ONCE = 1_000;

/** Stands in an entry for what named a person: who did what to what and when stays on record, about whom does not. */
const ERASED = 'erased';

interface ChangeRow {
  readonly id: bigint;
  readonly detail: string;
}

/** Whether a value names the person. */
type NamesPerson = (value: Json) => boolean;

/** One entry, as whoever looks for a person in it wants it. */
interface ChangeRecord {
  readonly ref: bigint;
  readonly read: () => Json;
}

/**
 * Returns the next entries of the audit log, without the looks at profiles: an index finds those, and what they say beside
 * the MPID names nobody. `next`: where the following page begins; absent: there are no more.
 */
export async function readChanges(
  sql: Sql,
  workspaceId: WorkspaceId,
  after?: bigint,
): Promise<{ readonly records: readonly ChangeRecord[]; readonly next?: bigint }> {
  const page = await sql.query<ChangeRow>(
    `SELECT id, detail FROM audit_log WHERE workspace_id = $1 AND id > $2 AND resource NOT LIKE 'profile/%'
     ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const last = page.at(-1);
  return {
    records: page.map(({ id, detail }) => ({ ref: id, read: () => parseJson(detail) })),
    ...(last !== undefined && page.length === AT_ONCE && { next: last.id }),
  };
}

interface NamingChanges {
  readonly workspaceId: WorkspaceId;
  readonly ids: readonly bigint[];
  readonly namesPerson: NamesPerson;
}

/**
 * Takes a person's name out of these entries; answers how many were there. They are read again under a lock: another erasure
 * may have taken its person's name out of the same entry meanwhile. Entries stay: a log from which the erased could be told by
 * its gaps would be none.
 */
export async function eraseFromChanges(
  tx: Transaction,
  { workspaceId, ids, namesPerson }: NamingChanges,
): Promise<number> {
  const rows = await tx.query<ChangeRow>(
    'SELECT id, detail FROM audit_log WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE',
    [workspaceId, ids],
  );
  const nameless = rows.map((row) => withoutPerson(row, namesPerson));
  if (nameless.length > 0) await replaceChanges(tx, workspaceId, nameless);
  return nameless.length;
}

export interface LooksAtPeople {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  /** Only counts. */
  readonly isPreview?: boolean;
}

/** Makes the entries that tell of a look at one of the profiles tell of none; answers how many. */
export async function eraseLooks(sql: Sql, { workspaceId, mpids, isPreview = false }: LooksAtPeople): Promise<number> {
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
function withoutPerson({ id, detail }: ChangeRow, namesPerson: NamesPerson): ChangeRow {
  return { id, detail: stringifyJson(masked(parseJson(detail), '', namesPerson)) };
}

/** The value with all in it masked that names the person; `name`: of the field that holds it, which may say what it is. */
function masked(value: Json, name: string, namesPerson: NamesPerson): Json {
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
