// Export that keeps erasures done when an older backup is restored: JSON Lines without personal data. The header names the
// workspace. Then follow one line a request and one line a tombstone, by keyed hashes.
import type { Tombstones } from '../../identity/index.ts';
import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { requestLineSql } from './request-line.ts';

export const EXPORT_FORMAT = 1;

export interface ErasureExport {
  readonly store: Sql;
  readonly tombstones: Pick<Tombstones, 'export'>;
  readonly workspaceId: WorkspaceId;
  readonly nowMs: number;
}

const PAGE_ROWS = 1_000;

/** Yields the lines of an export without line breaks. Requests that arrive meanwhile may be missing. */
export async function* exportErasures(wanted: ErasureExport): AsyncGenerator<string, void, undefined> {
  const { store, workspaceId, nowMs } = wanted;
  yield stringifyJson({
    kind: 'erasures',
    format: EXPORT_FORMAT,
    workspace: String(workspaceId),
    identity_key: await readKeyFingerprint(store),
    exported_on: new Date(nowMs).toISOString(),
  });
  yield* requestLines(store, workspaceId);
  yield* tombstoneLines(wanted);
}

/** Returns the fingerprint of the identity key behind the hashes, which reveals nothing of the key. */
export async function readKeyFingerprint(sql: Sql): Promise<string | null> {
  const [mark] = await sql.query<{ readonly fingerprint: string }>('SELECT fingerprint FROM identity_key_mark');
  return mark?.fingerprint ?? null;
}

async function* requestLines(sql: Sql, workspaceId: WorkspaceId): AsyncGenerator<string, void, undefined> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await sql.query<{ readonly id: string; readonly line: string }>(
      `SELECT id, ${requestLineSql('r')} AS line FROM dsr_requests AS r
       WHERE workspace_id = $1 AND id > $2 ORDER BY id LIMIT ${PAGE_ROWS}`,
      [workspaceId, after],
    );
    for (const { line } of page) yield line;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* tombstoneLines({ store, tombstones, workspaceId }: ErasureExport) {
  for (let after: string | undefined; ; ) {
    const page = await tombstones.export(store, workspaceId, after);
    for (const { key, erasedOn } of page) {
      yield stringifyJson({ kind: 'tombstone', key, erased_on: erasedOn.toISOString() });
    }
    after = page.at(-1)?.key;
    if (after === undefined) return;
  }
}
