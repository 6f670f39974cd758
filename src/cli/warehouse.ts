import { Option } from 'commander';
import { PROVIDER_FACTS } from '../../connectors/facts.ts';
import type { Register } from './command.ts';

const PROVIDERS = Object.entries(PROVIDER_FACTS).map(([word, { setUpHelp }]) => ({
  name: word.toLowerCase(),
  lines: setUpHelp,
}));

const INPUTS = PROVIDERS.map(({ name, lines }) => `  ${name.padEnd(8)}${lines.join(`\n${' '.repeat(10)}`)}`);

const HELP = `
What each provider takes (in brackets: what it may do without):
${INPUTS.join('\n')}

The statements go to standard output, with comments that say what each is for, what comes before, and what to keep for the
connection. Read them, then give them to the client of the warehouse:

  penstock warehouse setup-sql --provider gamma --role penstock --database shop --schema public --table people \\
    --user penstock_sync > setup.sql

What the model of the pipeline names, the table and mostly its schema, must do without quotes, as the model writes none.
Nothing is sent anywhere. Without --password a new one is made and printed; a password on the command line stays in the
shell's history.`;

export const registerWarehouse: Register = (program, context) => {
  const warehouse = program.command('warehouse').description('prepare a warehouse for Penstock');
  warehouse
    .command('setup-sql')
    .description('print the statements that let Penstock write profile ids back to one table')
    .requiredOption('--provider <word>', `${PROVIDERS.map(({ name }) => name).join(', ')}, or the name of the product`)
    .option('--role <name>', 'role, or group, that gets the rights')
    .option('--warehouse <name>', 'compute warehouse that statements run in')
    .option('--database <name>', 'database, project or catalog of the table')
    .option('--schema <name>', 'schema or dataset of the table')
    .option('--table <name>', 'the table that gets its MPIDs back')
    .option('--user <name>', 'user, service account or service principal that Penstock signs in as')
    .option('--password <text>', 'password of that user; a new one is made without it')
    .addOption(
      new Option(
        '--public-key <file>',
        'RSA public key in PEM that the user signs in by, in place of a password',
      ).conflicts('password'),
    )
    .option('--pod <pod>', 'pod of the service: US1, US2, EU1 or AU1')
    .option('--cloud-account <digits>', 'AWS account of the service in that pod, 12 digits')
    .option('--org-id <id>', 'organisation id, as `penstock init` shows it')
    .option('--account-id <id>', 'account id, as `penstock init` shows it')
    .option('--region <name>', 'location of the dataset')
    .addHelpText('after', HELP)
    .action(async (options) => (await import('./warehouse/setup-sql.ts')).setupSql(context, options));
};
