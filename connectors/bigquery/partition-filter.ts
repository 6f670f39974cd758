// Tables that refuse every statement without a filter on their partitions (`require_partition_filter`). The range of a run is
// such a filter where its iterator is the partition column. What a run asks besides its rows gets a filter that keeps all rows:
// BigQuery accepts `c IS NULL OR c IS NOT NULL` (https://github.com/dbt-labs/dbt-bigquery/pull/986).
import { formatMicros, microsOfMs, systemClock } from '../../src/kernel/index.ts';
import { type Column, findColumn, type IteratorType, type Range, type Statement } from '../../src/warehouse/index.ts';
import type { Client } from './client.ts';
import { quoteIdentifier } from './dialect.ts';
import { classify } from './errors.ts';

const REQUIRED = /without a filter over column\(s\) ('[^'\n]{1,300}'(?:, '[^'\n]{1,300}'){0,9}) that can be used/;
const MODEL = 'penstock_model';

/** Returns the columns that a table must be filtered by; undefined where the failure is another one. */
export function requiredColumns(failure: unknown): readonly string[] | undefined {
  const names = REQUIRED.exec(classify(failure).message)?.[1];
  if (names === undefined) return undefined;
  // the pseudo columns of tables by time of ingestion can be named in the model only
  return [...names.matchAll(/'([^']+)'/g)].flatMap(([, name = '']) => (name.startsWith('_PARTITION') ? [] : [name]));
}

/** Returns the model with a filter on one of its columns that keeps every row. */
export function filteredBy({ sql, parameters }: Statement, column: string): Statement {
  const filter = everyPartition(`${MODEL}.${quoteIdentifier(column)}`);
  return { sql: `SELECT * FROM (\n${sql}\n) AS ${MODEL} WHERE ${filter}`, parameters };
}

function everyPartition(column: string): string {
  return `(${column} IS NULL OR ${column} IS NOT NULL)`;
}

const DAYS = 7;
const DAY_MS = 86_400_000;

/** Returns the last days of a column, or all of its values where it is a number. */
export function recentRange(columns: readonly Column[], name: string): Range | undefined {
  const column = findColumn(columns, name);
  const type = column === undefined ? undefined : ITERATORS[column.type];
  if (column === undefined || type === undefined) return undefined;
  const instant = formatMicros(microsOfMs(systemClock.nowMs() - DAYS * DAY_MS));
  const starts: Partial<Record<IteratorType, string>> = {
    date: instant.slice(0, 10),
    timestamp: instant.replace(/Z$/, ''),
    timestamp_unixtime_s: String(-(2n ** 63n)),
  };
  return { column: column.name, type, start: starts[type] ?? instant };
}

const ITERATORS: Partial<Record<Column['type'], IteratorType>> = {
  timestamp_tz: 'timestamp_tz',
  timestamp: 'timestamp',
  date: 'date',
  integer: 'timestamp_unixtime_s',
};

interface WireTable {
  readonly requirePartitionFilter?: boolean;
  readonly timePartitioning?: { readonly field?: string; readonly requirePartitionFilter?: boolean };
  readonly rangePartitioning?: { readonly field?: string };
}

/**
 * Returns the condition that keeps every row of a table, as SQL for an alias of the table, where the table requires a filter.
 * Returns undefined for other tables, for one of another project, and where the account may not look the table up.
 */
export async function everyRowOf(
  client: Client,
  table: string,
  signal: AbortSignal,
): Promise<((alias: string) => string) | undefined> {
  const [tableId, datasetId = client.config.dataset_id, project] = table.split('.').reverse();
  if (tableId === undefined || (project !== undefined && project !== client.config.project_id)) return undefined;
  const path = `/datasets/${encodeURIComponent(datasetId)}/tables/${encodeURIComponent(tableId)}`;
  const found = await client.call<WireTable>({ method: 'GET', path }, signal).catch((failure: unknown) => {
    signal.throwIfAborted();
    if (['WAREHOUSE_PERMISSION', 'WAREHOUSE_OBJECT_MISSING'].includes(classify(failure).code)) return undefined;
    throw failure;
  });
  if (found?.requirePartitionFilter !== true && found?.timePartitioning?.requirePartitionFilter !== true)
    return undefined;
  const column = found.timePartitioning?.field ?? found.rangePartitioning?.field ?? '_PARTITIONTIME';
  return (alias) => everyPartition(`${alias}.${quoteIdentifier(column)}`);
}
