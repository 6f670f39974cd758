// The output of `penstock warehouse setup-sql` for Snowflake, BigQuery and Databricks, run on their local servers as far as
// those know the statements; then the connection that it says to keep writes MPIDs back. None of them knows rights: a
// statement that a server has no grammar for is named here, so that one which learns it is noticed.
import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bigquery } from '../../connectors/bigquery/index.ts';
import { databricks } from '../../connectors/databricks/index.ts';
import { snowflake } from '../../connectors/snowflake/index.ts';
import type { Column, ConnectionConfig, Connector, ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { bigqueryFixture } from '../conformance/fixtures/bigquery.ts';
import { NEVER, readAll, requestOf, statement } from '../conformance/reading.ts';
import { applyRequest, staged, writeBackOf } from '../conformance/writing-back.ts';
import {
  DATABRICKS_CONFIG,
  databricksEndpoint,
  openDatabricksCustomer,
} from '../support/fakes/databricks-warehouse.ts';
import { openSnowflakeClient } from '../support/fakes/snowflake-client.ts';
import { snowflakeEndpoint } from '../support/fakes/snowflake-warehouse.ts';
import { openWireProxy } from '../support/fakes/wire-proxy.ts';
import { commandLine } from '../support/runner/command-line.ts';
import { createKeyFiles } from '../support/runner/key-files.ts';
import { rightsGranted, rightsNeeded } from '../support/stores/statement-rights.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';

const { json } = commandLine({});

interface Script {
  readonly statements: readonly { readonly sql: string }[];
  readonly keep: readonly { readonly what: string; readonly where: string }[];
}

async function scriptOf(provider: string, inputs: Readonly<Record<string, string>>): Promise<Script> {
  const options = Object.entries(inputs).flatMap(([name, value]) => [`--${name}`, value]);
  return await json<Script>('warehouse', 'setup-sql', '--provider', provider, ...options);
}

/** What the script says to keep, with what it cannot know in place of its words for it. */
function configOf({ keep }: Script, known: ConnectionConfig): ConnectionConfig {
  const kept = keep.flatMap(({ where, what }) => [...where.matchAll(/config\.(\w+)/g)].map(([, name]) => [name, what]));
  return { ...Object.fromEntries(kept), ...known };
}

/** The first words of each statement, by whether the server took it. */
async function runAll({ statements }: Script, run: (sql: string) => Promise<unknown>) {
  const outcome = { ran: [] as string[], refused: [] as string[] };
  for (const { sql } of statements) {
    const words = /^[A-Z, ]+?(?= (?:IF|`|"))/.exec(sql)?.[0] ?? sql;
    await run(sql).then(
      () => outcome.ran.push(words),
      () => outcome.refused.push(words),
    );
  }
  return outcome;
}

interface Target {
  readonly connector: Connector;
  readonly config: ConnectionConfig;
  readonly environment: ConnectorEnvironment;
  /** As a model names it. */
  readonly table: string;
}

/** Passes the test of the connection, writes one MPID and reads the table again. */
async function writesBack({ connector, config, environment, table }: Target): Promise<void> {
  await using session = await connector.open(config, { ...environment, writes: true }, NEVER);
  const stages = await session.probe(NEVER);
  expect(stages.filter(({ status }) => status !== 'passed')).toEqual([]);
  const sql = `SELECT customer_id, MPID FROM ${table}`;
  const [key, mpid] = await session.describe(statement(sql), NEVER);
  const target = { table, key: [key as Column], mpid: mpid as Column };
  const result = await writeBackOf(session).apply(applyRequest(target, [staged('ann', 7n)]), NEVER);
  expect(result).toMatchObject({ updated: 1, conflicts: 0 });
  const { rows } = await readAll(session, requestOf(sql));
  expect(rows.map(([customer, value]) => [customer, String(value)])).toEqual([['ann', '7']]);
}

/** A body as the SDK meant it. */
function textOf(body: Buffer): string {
  return (body[0] === 0x1f ? gunzipSync(body) : body).toString('utf8');
}

/** In a message of the Thrift protocol, where it stands as text. */
const STATEMENT =
  /((?:CREATE|INSERT|SELECT|UPDATE|DELETE|MERGE|DROP|SHOW|DESCRIBE|USE|SET|ALTER|GRANT) [ -~\n]+|SHOW TABLES)/;

const unique = () => randomBytes(6).toString('hex');

onServer('snowflake', 'the statements for Snowflake', () => {
  it('make schema and column there, and MPIDs are written back; its server knows no roles, users and integrations', async () => {
    const { accessUrl } = serverOf('snowflake').endpoints.snowflake;
    const database = `T${unique().toUpperCase()}`;
    await using keys = await createKeyFiles();
    const client = await openSnowflakeClient({ accessUrl, database });
    await client.run(`CREATE SCHEMA IF NOT EXISTS ${database}.SHOP`);
    await client.run(`CREATE TABLE ${database}.SHOP.PEOPLE (CUSTOMER_ID VARCHAR)`);
    await client.run(`INSERT INTO ${database}.SHOP.PEOPLE VALUES ('ann')`);
    const script = await scriptOf('alpha', {
      ...{ role: 'Sync role', warehouse: 'wh', database: database.toLowerCase(), schema: 'Shop', table: 'people' },
      ...{ user: 'sync', pod: 'EU1', 'cloud-account': '123456789012', 'org-id': '1', 'account-id': '2' },
      'public-key': keys.publicFile,
    });
    expect(await runAll(script, (sql) => client.run(sql))).toEqual({
      ran: ['CREATE SCHEMA', 'ALTER TABLE'],
      refused: [
        'CREATE ROLE',
        'GRANT USAGE ON WAREHOUSE',
        'GRANT USAGE ON DATABASE',
        'GRANT USAGE ON SCHEMA',
        'GRANT SELECT, INSERT, UPDATE ON TABLE',
        'GRANT USAGE ON SCHEMA',
        'CREATE USER',
        'GRANT ROLE',
        'CREATE STORAGE INTEGRATION',
        'GRANT USAGE ON INTEGRATION',
        'DESCRIBE INTEGRATION',
      ],
    });
    const config = configOf(script, {
      ...{ account_identifier: 'myorg-local', region: 'us-east-1' },
      private_key: keys.privateKey,
    });
    delete (config as { aws_iam_user_arn?: string }).aws_iam_user_arn;
    await using proxy = await openWireProxy({ host: '127.0.0.1', port: Number(new URL(accessUrl).port) });
    const environment = snowflakeEndpoint(proxy.port);
    await writesBack({ connector: snowflake, config, environment, table: `${database}.SHOP.people` });
    const sent = proxy.seen.filter(({ url }) => url.startsWith('/queries/')).map(({ body }) => textOf(body));
    const granted = rightsGranted(script.statements);
    const needed = rightsNeeded(
      'snowflake',
      sent.map((body) => (JSON.parse(body) as { sqlText: string }).sqlText),
    );
    expect([...needed].filter((right) => !granted.has(right))).toEqual([]);
    // The specification grants both; Penstock adds no row, and reads without the integration.
    expect([...granted].filter((right) => !needed.has(right))).toEqual(['INSERT ON TABLE', 'USAGE ON INTEGRATION']);
  });
});

onServer('bigquery', 'the statements for BigQuery', () => {
  it('are all taken, and MPIDs are written back; its server parses GRANT and ALTER TABLE, and does nothing for them', async () => {
    await using warehouse = await bigqueryFixture.start();
    const { dataset_id: dataset } = warehouse.config as { readonly dataset_id: string };
    await warehouse.seed([
      'CREATE TABLE people (customer_id STRING, MPID INT64)',
      "INSERT INTO people (customer_id) VALUES ('ann')",
    ]);
    const { apiEndpoint } = serverOf('bigquery').endpoints.bigquery;
    const run = async (query: string) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ query, useLegacySql: false });
      const url = `${apiEndpoint}/bigquery/v2/projects/test/queries`;
      const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { error?: object };
      if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
    };
    const script = await scriptOf('beta', {
      ...{ database: 'test-project', schema: dataset, table: 'people', region: 'EU' },
      user: 'penstock@test-project.iam.gserviceaccount.com',
    });
    // the emulator has one project, of a name that is too short for a real one
    const here = (sql: string) => run(sql.replaceAll('`test-project`', '`test`'));
    expect(await runAll(script, here)).toEqual({
      ran: ['GRANT', 'GRANT', 'CREATE SCHEMA', 'GRANT', 'ALTER TABLE'],
      refused: [],
    });
    for (const { sql } of script.statements) {
      for (const wrong of [sql.replace(/ (?:TO|EXISTS) /, ' '), sql.replace('`', '')]) {
        await expect(here(wrong)).rejects.toThrow('Syntax error');
      }
    }
    const { service_account_id, service_account_key } = warehouse.config;
    const config = configOf(script, { project_id: 'test', service_account_id, service_account_key });
    await writesBack({ connector: bigquery, config, environment: warehouse.environment, table: `${dataset}.people` });
  });
});

onServer('databricks', 'the statements for Databricks', () => {
  it('make schema and column there, and MPIDs are written back; its server knows no GRANT', async () => {
    const { endpoints, httpPath, token } = serverOf('databricks');
    const schema = `w_${unique()}`;
    const run = await openDatabricksCustomer();
    await run([`CREATE SCHEMA ${schema}`, `CREATE TABLE ${schema}.people (customer_id STRING) USING delta`]);
    await run([`INSERT INTO ${schema}.people VALUES ('ann')`]);
    const inputs = { database: 'spark_catalog', schema, table: 'People', user: '8d6ae9f5-0000-4000-8000-000000000000' };
    const script = await scriptOf('delta', inputs);
    expect(await runAll(script, (sql) => run([sql]))).toEqual({
      ran: ['CREATE SCHEMA', 'ALTER TABLE'],
      refused: [
        'GRANT USE CATALOG ON CATALOG',
        'GRANT USE SCHEMA ON SCHEMA',
        'GRANT SELECT, MODIFY ON TABLE',
        'GRANT USE SCHEMA, CREATE TABLE ON SCHEMA',
      ],
    });
    const { host } = DATABRICKS_CONFIG;
    const config = configOf(script, { provider: 'northwind', host, http_path: httpPath, token });
    for (const field of ['client_id', 'client_secret']) delete (config as Record<string, unknown>)[field];
    await using proxy = await openWireProxy(endpoints.databricks);
    const environment = databricksEndpoint(proxy.port, { statementTimeoutMs: 240_000 });
    await writesBack({ connector: databricks, config, environment, table: 'people' });
    const sent = proxy.seen.flatMap(({ body }) => STATEMENT.exec(body.toString('latin1'))?.slice(1) ?? []);
    expect([...rightsGranted(script.statements)].toSorted()).toEqual([...rightsNeeded('databricks', sent)].toSorted());
    await run([`DROP SCHEMA ${schema} CASCADE`]);
  });
});
