import { isRawNumber, type Json, parseJson, stringifyJson, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

const AT_ONCE = 1_000;

/** Stands in an entry for what named a person: who did what to what and when stays on record, about whom does not. */
const ERASED = 'erased';
const PROFILE = 'profile/';

interface ChangeRow {
  readonly id: bigint;
  readonly resource: string;
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
 * no more. Entries stay: a log from which the erased could be told by its gaps would be none.
 */
export async function eraseFromChanges(
  sql: Sql,
  { workspaceId, mpids, namesPerson, after, isPreview = false }: ChangesPart,
): Promise<{ readonly erased: number; readonly next?: bigint }> {
  const page = await sql.query<ChangeRow>(
    `SELECT id, resource, detail FROM audit_log WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after ?? -1n],
  );
  const profiles = new Set(mpids.map((mpid) => `${PROFILE}${mpid}`));
  const isNamed = ({ resource, detail }: ChangeRow) => profiles.has(resource) || namesPerson(parseJson(detail));
  const named = page.filter(isNamed);
  if (named.length > 0 && !isPreview) {
    const nameless = named.map((row) => withoutPerson(row, namesPerson));
    await replaceChanges(sql, workspaceId, nameless);
  }
  const last = page.at(-1);
  return { erased: named.length, ...(last !== undefined && page.length === AT_ONCE && { next: last.id }) };
}

function withoutPerson({ id, resource, detail }: ChangeRow, namesPerson: ChangesPart['namesPerson']): ChangeRow {
  return {
    id,
    // an entry about a pipeline, a group … is still about that
    resource: resource.startsWith(PROFILE) ? `${PROFILE}${ERASED}` : resource,
    detail: stringifyJson(masked(parseJson(detail), '', namesPerson)),
  };
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
    `UPDATE audit_log SET resource = named.resource, detail = named.detail
     FROM unnest($2::bigint[], $3::text[], $4::text[]) AS named (id, resource, detail)
     WHERE audit_log.workspace_id = $1 AND audit_log.id = named.id`,
    [
      ...[workspaceId, changes.map(({ id }) => id)],
      ...[changes.map(({ resource }) => resource), changes.map(({ detail }) => detail)],
    ],
  );
}
