// COPY from S3, as Redshift's documentation says, by a real PostgreSQL, which parses the files and checks the cells.
// https://docs.aws.amazon.com/redshift/latest/dg/r_COPY.html
import { gunzipSync } from 'node:zlib';
import type { Client } from 'pg';
import { runCopy } from '../../../connectors/redshift/link/copy-in.ts';
import { says } from './fake-postgres.ts';
import type { PostgresWarehouse } from './postgres-warehouse.ts';

export interface CopyingOptions {
  /** Reads the objects of S3 whose keys begin with the prefix. */
  readonly get: (bucket: string, prefix: string) => Promise<readonly Uint8Array[]>;
  /** Error instead of COPY. */
  readonly refuses?: Buffer;
  /** Called when COPY begins, before it reads. */
  readonly onCopy?: () => Promise<void>;
}

/** A place where an error of COPY leaves its reason, with the columns that are documented and read. */
export const LOAD_ERRORS = `CREATE TABLE sys_load_error_detail (file_name character(256), column_name character(127),
  error_message character(512), start_time timestamp, line_number bigint)`;

const LITERAL = String.raw`'((?:[^'\\]|''|\\[\s\S])*)'`;
const COPY = new RegExp(
  `^COPY (\\w+) \\(([\\w, ]+)\\)\\nFROM ${LITERAL}\\nIAM_ROLE (?:default|${LITERAL})\\n` +
    `FORMAT AS CSV DELIMITER AS ',' QUOTE AS '"' NULL AS ${LITERAL} GZIP ENCODING AS UTF8 ROUNDEC\\n` +
    `MAXERROR AS 0 COMPUPDATE OFF STATUPDATE ON(?:\\nREGION AS ${LITERAL})?$`,
);

interface Server {
  readonly client: Client;
  readonly warehouse: PostgresWarehouse;
}

/** Runs one COPY in the transaction of the client and returns its answer. A failure ends the transaction, as in Redshift. */
export async function copyFrom(text: string, options: CopyingOptions, server: Server): Promise<Buffer> {
  const [found, table = '', columns = '', address = '', , nullText = ''] = COPY.exec(text) ?? [];
  if (found === undefined) throw new Error(`syntax error in ${text}`);
  await options.onCopy?.();
  const [bucket = '', ...path] = address.slice('s3://'.length).split('/');
  const files = await options.get(bucket, path.join('/'));
  const missing = says.error('XX000', `The specified S3 prefix '${path.join('/')}' does not exist`);
  const refused = options.refuses ?? (files.length === 0 ? missing : undefined);
  if (refused !== undefined) {
    await server.client.query('SELECT 1 / 0').catch(() => undefined);
    return refused;
  }
  const parts = files.map((file) => gunzipSync(file).toString('utf8'));
  try {
    await runCopy(server.client, `COPY ${table} (${columns}) FROM STDIN WITH (FORMAT csv, NULL '${nullText}')`, parts);
    return says.complete('COPY');
  } catch (failure) {
    await noteError(server.warehouse, address, failure as Error & { where?: string });
    const said = `Load into table '${table}' failed.  Check 'sys_load_error_detail' system table for details.`;
    return says.error('XX000', said);
  }
}

async function noteError(
  { seed }: PostgresWarehouse,
  address: string,
  { message, where = '' }: Error & { where?: string },
): Promise<void> {
  const [, column = ''] = /column (\w+)/.exec(where) ?? [];
  const reason = message.replaceAll("'", "''");
  await seed([`INSERT INTO sys_load_error_detail VALUES ('${address}0.csv.gz', '${column}', '${reason}', now(), 1)`]);
}
