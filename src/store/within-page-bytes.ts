import { type AnyColumn, type SQL, sql } from 'drizzle-orm';

/** Size of the texts in one page of a list: a page of ordinary rows is complete, and no answer takes much more memory. */
const PAGE_BYTES = 16 * 1024 * 1024;

/**
 * Returns `text` of the rows of a page, in `order`, until the rows before hold `PAGE_BYTES` of texts, and null from there on.
 * The first row of a page always has its text.
 */
export function withinPageBytes(text: AnyColumn, order: SQL): SQL<string | null> {
  const before = sql`sum(octet_length(${text})) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
  return sql<string | null>`CASE WHEN coalesce(${before}, 0) < ${PAGE_BYTES} THEN ${text} END`;
}
