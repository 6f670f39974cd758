import type { Store } from '../../../src/store/index.ts';

/** Columns in which copied rows differ from the originals. */
export interface Copying {
  /** Columns of the key beside `workspace_id`: each copy has values of its own there. */
  readonly keys: readonly string[];
  /** What else all copies say. */
  readonly also?: Readonly<Record<string, unknown>>;
}

/** Few: a statement that knows nothing but the workspace is to read the whole table. */
const WORKSPACES = 4;
const COPIES = 2_500;
/** Rows that are copied: those of any state that a table has. */
const ORIGINALS = 20;

/** Values that no other copy has, by the type of their column; `w`, `n` and `r` number workspace, copy and original. */
const OWN_VALUES: Readonly<Record<string, string>> = {
  bigint: 'w * 1000000000::bigint + n * 100 + r',
  text: "md5(w || '/' || n || '/' || r)",
  uuid: "md5(w || '/' || n || '/' || r)::uuid",
  'timestamp with time zone': "timestamptz '2026-01-01' + (n * 100 + r) * interval '1 second'",
};

/** Fills the table with copies of its rows in many workspaces, the first one among them, and gathers its statistics. */
export async function copyRows(store: Store, table: string, { keys, also = {} }: Copying): Promise<void> {
  const columns = await store.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = '${table}'::regclass AND attname = ANY ($1)`,
    [keys],
  );
  const own = columns.map(({ name, type }) => `'${name}', ${OWN_VALUES[type]}`).join(', ');
  await store.transaction(async (tx) => {
    // copies name parents that are not there
    await tx.execute("SET LOCAL session_replication_role = 'replica'");
    const copied = await tx.execute(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE
       SELECT copy.*
       FROM (SELECT ctid, tableoid, row_number() OVER () AS r, count(*) OVER () AS rows FROM ${table} LIMIT ${ORIGINALS}) AS o
         JOIN ${table} AS t ON t.ctid = o.ctid AND t.tableoid = o.tableoid,
         generate_series(1, ${WORKSPACES}) AS w, generate_series(1, ${COPIES} / least(rows, ${ORIGINALS})) AS n,
         jsonb_populate_record(t, jsonb_build_object('workspace_id', w, ${own}) || $1::jsonb) AS copy`,
      [JSON.stringify(also)],
    );
    if (copied === 0) throw new Error(`${table} has no row to copy.`);
  });
  await store.query(`ANALYZE ${table}`);
}
