import { Option } from 'commander';
import type { Register } from './command.ts';

const HELP = `
What each provider takes (in brackets: what it may do without):
  alpha   --role --warehouse --database --schema --table --user [--password] --pod --cloud-account --org-id --account-id
  beta    --database --schema --table --user [--region]
          The project, the dataset, the table, the service account.
  gamma   --role --database --schema --table --user [--password]
          PostgreSQL and Redshift take the same statements.
  delta   --database --schema --table --user
          The catalog, the schema, the table, the application id of the service principal.
  duckdb  [--schema] --table

The statements go to standard output, with comments that say what each is for, what comes before, and what to keep for the
connection. Read them, then give them to the client of the warehouse:

  penstock warehouse setup-sql --provider gamma --role penstock --database shop --schema public --table people \\
    --user penstock_sync > setup.sql

Table, schema and database must do without quotes, because the model of the pipeline names them without. Nothing is sent
anywhere. Without --password a new one is made and printed; a password on the command line stays in the shell's history.`;

export const registerWarehouse: Register = (program, context) => {
  const warehouse = program.command('warehouse').description('prepare a warehouse for Penstock');
  warehouse
    .command('setup-sql')
    .description('print the statements that let Penstock write profile ids back to one table')
    .addOption(
      new Option('--provider <word>', 'the product')
        .choices(['alpha', 'beta', 'gamma', 'delta', 'duckdb'])
        .makeOptionMandatory(),
    )
    .option('--role <name>', 'role, or group, that gets the rights')
    .option('--warehouse <name>', 'compute warehouse that statements run in')
    .option('--database <name>', 'database, project or catalog of the table')
    .option('--schema <name>', 'schema or dataset of the table')
    .option('--table <name>', 'the table that gets its MPIDs back')
    .option('--user <name>', 'user, service account or service principal that Penstock signs in as')
    .option('--password <text>', 'password of that user; a new one is made without it')
    .option('--pod <pod>', 'pod of the service: US1, US2, EU1 or AU1')
    .option('--cloud-account <digits>', 'cloud account of the service in that pod')
    .option('--org-id <id>', 'organisation id, as `penstock init` shows it')
    .option('--account-id <id>', 'account id, as `penstock init` shows it')
    .option('--region <name>', 'location of the dataset')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./warehouse/setup-sql.ts')).setupSql(context, options));
};
