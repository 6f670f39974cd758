// The months of the log, as the store's catalog lists them.
import type { Sql } from '../../store/index.ts';
import { type Month, monthOf } from './months.ts';

export interface Partition extends Month {
  readonly name: string;
}

const NAME = /^event_batches_(\d{4})_(\d{2})$/;

export function partitionOf(month: Month): Partition {
  const [year, number] = month.start.toISOString().split('-');
  return { ...month, name: `event_batches_${year}_${number}` };
}

/** Lists all partitions but the default one, the oldest first. */
export async function listPartitions(sql: Sql): Promise<readonly Partition[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
     WHERE h.inhparent = 'event_batches'::regclass ORDER BY c.relname`,
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = NAME.exec(name) ?? [];
    return year === undefined ? [] : partitionOf(monthOf(Date.UTC(Number(year), Number(month) - 1)));
  });
}
