import type { Cell } from '../../src/warehouse/index.ts';
import type { BoundSql } from './link/bind.ts';
import type { Link, RunOptions } from './link/link.ts';
import { rowsOf } from './link/rows.ts';

const MOST_ROWS = 10_000;
const IDLE_MS = 30_000;

/** Returns the first rows of a small answer, as cells. */
export async function fewRows(link: Link, sql: BoundSql, options: RunOptions): Promise<readonly (readonly Cell[])[]> {
  const statement = await link.run(sql, options);
  const rows = rowsOf({
    link,
    statement,
    signal: options.signal,
    idleMs: IDLE_MS,
    request: { chunkRows: MOST_ROWS, chunkBytes: Number.POSITIVE_INFINITY },
  });
  try {
    return (await rows.next()) ?? [];
  } finally {
    rows.stop();
  }
}
