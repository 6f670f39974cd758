import { isRawNumber, type Json, parseJson, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';

const AT_ONCE = 1_000;

/** Replaces the names of an erased person: the entry still tells who did what to what and when, but not about whom. */
const ERASED = 'erased';

interface ChangeRow {
  readonly id: bigint;
  readonly detail: string;
}

/** A check whether a value names the person. */
type ChangeMatcher = (value: Json) => boolean;

/** One entry, in the form that a search for a person needs. */
interface ChangeRecord {
  readonly ref: bigint;
  readonly read: () => Json;
}

/**
 * Returns the next entries of the audit log, without the looks at profiles. An index finds those, and apart from the MPID they
 * name nobody. `next` is where the following page begins; absent after the last page.
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
  readonly mentionsPerson: ChangeMatcher;
}

/**
 * Removes a person's name from these entries and returns their number. Reads them again under a lock, because another erasure
 * may have changed the same entry meanwhile. The entries stay: gaps in the log would reveal the erased.
 */
export async function eraseFromChanges(
  tx: Transaction,
  { workspaceId, ids, mentionsPerson }: NamingChanges,
): Promise<number> {
  const rows = await tx.query<ChangeRow>(
    'SELECT id, detail FROM audit_log WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE',
    [workspaceId, ids],
  );
  const nameless = rows.map((row) => withoutPerson(row, mentionsPerson));
  if (nameless.length > 0) await replaceChanges(tx, workspaceId, nameless);
  return nameless.length;
}

export interface LooksAtPeople {
  readonly workspaceId: WorkspaceId;
  readonly mpids: readonly bigint[];
  /** Counts without erasing. */
  readonly isPreview?: boolean;
}

/** Makes the entries about looks at one of the profiles name no profile, and returns their number. */
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

/** Returns the entry without the person; an entry about a pipeline or a group still names that resource. */
function withoutPerson({ id, detail }: ChangeRow, mentionsPerson: ChangeMatcher): ChangeRow {
  return { id, detail: stringifyJson(masked(parseJson(detail), '', mentionsPerson)) };
}

/** Masks all parts of a value that name the person. `name` is the field that holds the value and may tell what the value is. */
function masked(value: Json, name: string, mentionsPerson: ChangeMatcher): Json {
  const isNamed = (leaf: Json) => mentionsPerson({ [name]: leaf });
  if (isList(value)) return value.map((item) => masked(item, name, mentionsPerson));
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key, mentionsPerson)]));
  }
  if (!isNamed(value)) return value;
  const text = typeof value === 'string' ? value.replace(PIECE, (piece) => (isNamed(piece) ? ERASED : piece)) : ERASED;
  return isNamed(text) ? ERASED : text;
}

/** Pieces of a longer text, such as a statement. */
const PIECE = /[^\s"'`,;:()<>=[\]{}]+/g;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

async function replaceChanges(sql: Sql, workspaceId: WorkspaceId, changes: readonly ChangeRow[]): Promise<void> {
  await sql.execute(
    `UPDATE audit_log SET detail = named.detail FROM unnest($2::bigint[], $3::text[]) AS named (id, detail)
     WHERE audit_log.workspace_id = $1 AND audit_log.id = named.id`,
    [workspaceId, changes.map(({ id }) => id), changes.map(({ detail }) => detail)],
  );
}
