import { loginSource } from '../../../connectors/redshift/aws/database-login.ts';
import type { RedshiftConfig } from '../../../connectors/redshift/config.ts';
import { openLink } from '../../../connectors/redshift/link/link.ts';
import { loadAws, loadSdk, loadSsh } from '../../../connectors/redshift/session.ts';
import { ROLLBACK } from '../../../connectors/redshift/statements.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import type { Account } from './account.ts';

const NEVER = new AbortController().signal;

/** Opens a PostgreSQL or Redshift. A connection names a database and no schema, so each run has a database of its own. */
export async function openPostgresAccount(config: RedshiftConfig, environment: ConnectorEnvironment): Promise<Account> {
  const login = loginSource({ config, environment, loadAws });
  const link = await openLink({ pg: await loadSdk(), loadSsh, config, environment, login }, NEVER);
  // a session begins in a transaction that only reads
  await link.run(ROLLBACK);
  const { product } = link;
  const [drop, connections] =
    product === 'Redshift'
      ? [
          (name: string) => `DROP DATABASE ${name} FORCE`,
          `SELECT count(*) FROM stv_sessions WHERE TRIM(db_name) = '${config.database}' AND process <> pg_backend_pid()`,
        ]
      : [
          (name: string) => `DROP DATABASE ${name} WITH (FORCE)`,
          "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'penstock%'",
        ];
  const databases = async () => (await link.run('SELECT datname FROM pg_database')).map(([name]) => name ?? '');
  return {
    async run(statements) {
      let rows: Awaited<ReturnType<typeof link.run>> = [];
      for (const statement of statements) rows = await link.run(statement);
      return rows;
    },
    spaces: databases,
    async createSpace(name) {
      await link.run(`CREATE DATABASE ${name}`);
      return false;
    },
    async dropSpace(name) {
      // Redshift knows no IF EXISTS for databases
      if ((await databases()).includes(name)) await link.run(drop(name));
    },
    async staging() {
      const rows = await link.run("SELECT relname FROM pg_catalog.pg_class WHERE relname LIKE 'penstock_stg%'");
      return rows.map(([name]) => name ?? '');
    },
    connections: async () => Number((await link.run(connections))[0]?.[0]),
    [Symbol.asyncDispose]: () => link.close(),
  };
}
