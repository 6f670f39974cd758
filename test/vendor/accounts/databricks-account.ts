import type { DatabricksConfig } from '../../../connectors/databricks/config.ts';
import { fetchTexts } from '../../../connectors/databricks/rows/fetch-texts.ts';
import { createServerSession } from '../../../connectors/databricks/server-session.ts';
import { loadSdk } from '../../../connectors/databricks/session.ts';
import { type ConnectorEnvironment, STAGING_SCHEMA } from '../../../src/warehouse/index.ts';
import type { Account } from './account.ts';
import { ensureStaging } from './own-staging.ts';

const NEVER = new AbortController().signal;

export async function openDatabricksAccount(
  config: DatabricksConfig,
  environment: ConnectorEnvironment,
): Promise<Account> {
  const session = createServerSession({ sdk: await loadSdk(), config, environment });
  const ask = (sql: string) => fetchTexts(session, sql, NEVER);
  const schemas = async () => (await ask('SHOW SCHEMAS')).map(([name]) => name ?? '');
  const staging = {
    has: async () => (await schemas()).includes(STAGING_SCHEMA),
    create: async () => void (await ask(`CREATE SCHEMA ${STAGING_SCHEMA}`)),
    drop: async () => void (await ask(`DROP SCHEMA ${STAGING_SCHEMA}`)),
  };
  return {
    async run(statements) {
      let rows: Awaited<ReturnType<typeof ask>> = [];
      for (const statement of statements) rows = await ask(statement);
      return rows;
    },
    spaces: schemas,
    async createSpace(name) {
      await ask(`CREATE SCHEMA ${name}`);
      return await ensureStaging(staging);
    },
    async dropSpace(name, withStaging) {
      await ask(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
      if (withStaging) await staging.drop();
    },
    async staging() {
      const tables = await ask(`SHOW TABLES IN ${STAGING_SCHEMA} LIKE 'penstock_stg*'`);
      return tables.map(([, name]) => name ?? '');
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}
