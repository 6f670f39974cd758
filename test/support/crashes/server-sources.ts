import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addRows, type Filling, fillTable, iteratorColumn } from '../../conformance/fill-table.ts';
import type { Fixture, Warehouse } from '../../conformance/fixture.ts';
import type { CrashSource, OpenSource } from './crash-source.ts';
import type { SourceRow } from './source-rows.ts';

export interface ServerSources extends AsyncDisposable {
  readonly open: OpenSource;
  /** Leads a daemon to the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Names of the column types in this product. */
export interface ShopTypes {
  readonly text: string;
  readonly decimal: string;
}

/** Kept as texts: not every server takes an exact decimal as it is sent. */
const TEXTS = ['number', 'buyer', 'name', 'amount', 'score'] as const;

/** A table a pipeline, in one warehouse on a local server: a daemon knows one endpoint of each product. */
export async function serverSources(fixture: Fixture, types: ShopTypes): Promise<ServerSources> {
  const warehouse = await fixture.start();
  const folder = await mkdtemp(join(tmpdir(), 'penstock-crash-'));
  const filling = (table: string, rows: readonly SourceRow[]): Filling => ({
    name: table,
    columns: [
      ...TEXTS.map((name) => ({ name, ddl: types.text, literal: quoted })),
      iteratorColumn(fixture, 'changed_at', 'timestamp_tz'),
    ],
    rows: rows.map((row) => [...TEXTS.map((name) => String(row[name])), timeOf(row)]),
  });
  return {
    environment: await endpointSettings(warehouse, folder),
    async open(id): Promise<CrashSource> {
      const table = `shop_${id.replaceAll('-', '_')}`;
      await fillTable(warehouse, filling(table, []));
      return {
        from: `(SELECT ${unlessFailing('number')} AS number, ${unlessFailing('buyer')} AS buyer, name,
          CAST(amount AS ${types.decimal}) AS amount, CAST(${unlessFailing('score')} AS ${types.decimal}) AS score, changed_at
          FROM ${table}) AS shop`,
        connection: { service_provider: fixture.connector.provider, config: warehouse.config },
        append: (rows) => addRows(warehouse, filling(table, rows)),
        run: (statement) => warehouse.seed([statement]),
        [Symbol.asyncDispose]: async () => undefined,
      };
    },
    async [Symbol.asyncDispose]() {
      await warehouse[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A row that fails is nobody's: BigQuery's emulator has no NaN. */
const unlessFailing = (column: string): string => `CASE WHEN score = 'NaN' THEN NULL ELSE ${column} END`;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** As the literals of iterators have it: UTC, without saying so. */
const timeOf = ({ changed_at }: SourceRow): string => changed_at.replace('Z', '');

/** Settings that lead a daemon to the server of a warehouse; `folder` takes what has to be a file. */
export async function endpointSettings({ environment }: Warehouse, folder: string): Promise<Record<string, string>> {
  const { bigquery, databricks, snowflake } = environment.endpoints;
  const settings: Record<string, string> = {};
  if (snowflake !== undefined) settings.PENSTOCK_SNOWFLAKE_ENDPOINT = snowflake.accessUrl;
  if (bigquery !== undefined) settings.PENSTOCK_BIGQUERY_ENDPOINT = bigquery.apiEndpoint;
  if (bigquery?.storageEndpoint !== undefined) {
    const { host, port } = bigquery.storageEndpoint;
    settings.PENSTOCK_BIGQUERY_STORAGE_ENDPOINT = `${host}:${port}`;
  }
  if (databricks?.ca !== undefined) {
    const file = join(folder, 'ca.pem');
    await writeFile(file, databricks.ca);
    settings.PENSTOCK_DATABRICKS_ENDPOINT = `${databricks.host}:${databricks.port}`;
    settings.PENSTOCK_DATABRICKS_CA = file;
  }
  return settings;
}
