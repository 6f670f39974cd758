// What has to be known outside of the store, so that erasures stay done when an older backup of it is restored: JSON Lines
// without personal data. The first line says whose they are; then one line a request, and one a tombstone, by keyed hashes.
import type { Tombstones } from '../../identity/index.ts';
import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { requestLine } from './request-line.ts';

export const EXPORT_FORMAT = 1;

export interface ErasureExport {
  readonly store: Sql;
  readonly tombstones: Pick<Tombstones, 'export'>;
  readonly workspaceId: WorkspaceId;
  readonly nowMs: number;
}

const PAGE_ROWS = 1_000;

/** The lines of an export, each without its end. What comes into the store meanwhile may be in it or not. */
export async function* exportErasures(wanted: ErasureExport): AsyncGenerator<string, void, undefined> {
  const { store, workspaceId, nowMs } = wanted;
  yield stringifyJson({
    kind: 'erasures',
    format: EXPORT_FORMAT,
    workspace: String(workspaceId),
    identity_key: await keyMark(store),
    exported_on: new Date(nowMs).toISOString(),
  });
  yield* requestLines(store, workspaceId);
  yield* tombstoneLines(wanted);
}

/** Tells under which identity key the hashes were made, and nothing about it. */
export async function keyMark(sql: Sql): Promise<string | null> {
  const [mark] = await sql.query<{ readonly fingerprint: string }>('SELECT fingerprint FROM identity_key_mark');
  return mark?.fingerprint ?? null;
}

async function* requestLines(sql: Sql, workspaceId: WorkspaceId): AsyncGenerator<string, void, undefined> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await sql.query<{ readonly id: string; readonly line: string }>(
      `SELECT id, ${requestLine('r')} AS line FROM dsr_requests AS r
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
