import type { SnowflakeConfig } from '../../../connectors/snowflake/config.ts';
import { fewRows } from '../../../connectors/snowflake/few-rows.ts';
import { openLink } from '../../../connectors/snowflake/link/link.ts';
import { nameSql } from '../../../connectors/snowflake/names.ts';
import { loadSdk } from '../../../connectors/snowflake/session.ts';
import { type ConnectorEnvironment, STAGING_SCHEMA } from '../../../src/warehouse/index.ts';
import type { Account } from './account.ts';
import { ensureStaging } from './own-staging.ts';

const NEVER = new AbortController().signal;

export async function openSnowflakeAccount(
  config: SnowflakeConfig,
  environment: ConnectorEnvironment,
): Promise<Account> {
  const link = await openLink({ sdk: await loadSdk(), config, environment }, NEVER);
  const ask = async (text: string) => {
    const rows = await fewRows(link, { text, values: [] }, { signal: NEVER });
    return rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))));
  };
  const database = nameSql(config.database);
  const schemas = async () => {
    const rows = await ask(`SELECT schema_name FROM ${database}.information_schema.schemata`);
    return rows.map(([name]) => name ?? '');
  };
  const staging = {
    has: async () => (await schemas()).some((name) => name.toLowerCase() === STAGING_SCHEMA),
    create: () => run(link, `CREATE SCHEMA ${database}.${STAGING_SCHEMA}`),
    drop: () => run(link, `DROP SCHEMA ${database}.${STAGING_SCHEMA}`),
  };
  return {
    async run(statements) {
      for (const statement of statements.slice(0, -1)) await run(link, statement);
      return await ask(statements.at(-1) ?? 'SELECT 1');
    },
    spaces: schemas,
    async createSpace(name) {
      await run(link, `CREATE SCHEMA ${database}.${name}`);
      return await ensureStaging(staging);
    },
    async dropSpace(name, withStaging) {
      await run(link, `DROP SCHEMA IF EXISTS ${database}.${name} CASCADE`);
      if (withStaging) await staging.drop();
    },
    async staging() {
      const tables = `${database}.information_schema.tables`;
      const rows = await ask(`SELECT table_name FROM ${tables} WHERE table_name ILIKE 'penstock_stg%'`);
      return rows.map(([name]) => name ?? '');
    },
    [Symbol.asyncDispose]: () => link.close(),
  };
}

async function run(link: Awaited<ReturnType<typeof openLink>>, text: string): Promise<void> {
  await link.run({ text, values: [] }, { signal: NEVER });
}
