// The statement COPY from S3: https://docs.aws.amazon.com/redshift/latest/dg/r_COPY.html
import { literal, roleSql } from '../s3/literal.ts';

export interface Copying {
  /** Name of the table, as written in SQL. */
  readonly table: string;
  /** Names of its columns, as written in SQL. */
  readonly columns: readonly string[];
  /** Address of the folder, with the slash at its end. */
  readonly folder: string;
  /** Text of NULL, which no value is equal to. */
  readonly nullText: string;
  /** ARN of a role of the cluster, or `default`. */
  readonly role: string;
  /** Region of the bucket, where it may differ from the cluster's. */
  readonly region?: string | undefined;
}

/**
 * Returns the statement. Its options leave every cell as it is: no text but the random one is NULL, blanks stay, and the first
 * row that cannot be loaded fails the statement. Decimals are rounded as INSERT rounds them; without ROUNDEC they are cut off.
 */
export function copyFromS3Sql({ table, columns, folder, nullText, role, region }: Copying): string {
  return [
    `COPY ${table} (${columns.join(', ')})`,
    `FROM ${literal(folder)}`,
    roleSql(role),
    `FORMAT AS CSV DELIMITER AS ',' QUOTE AS '"' NULL AS ${literal(nullText)} GZIP ENCODING AS UTF8 ROUNDEC`,
    // staging is read once: statistics help its joins, compression does not
    'MAXERROR AS 0 COMPUPDATE OFF STATUPDATE ON',
    ...(region === undefined ? [] : [`REGION AS ${literal(region)}`]),
  ].join('\n');
}

/**
 * Returns the query for the first reason why COPY refused a file of that folder, in clusters and in Redshift Serverless.
 * Its columns have blanks at the end: https://docs.aws.amazon.com/redshift/latest/dg/SYS_LOAD_ERROR_DETAIL.html
 */
export function loadErrorSql(attempt: string): string {
  return `SELECT trim(column_name), trim(error_message) FROM sys_load_error_detail
    WHERE file_name LIKE ${literal(`%/${attempt}/%`)} ORDER BY start_time, line_number LIMIT 1`;
}
