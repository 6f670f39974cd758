import { type Command, Option } from 'commander';
import { readCount, readId } from './arguments.ts';
import type { CommandContext } from './command.ts';
import type { EntryOptions } from './dsr/entries.ts';

interface WorkspaceOption {
  readonly workspace?: bigint;
}

const WORKSPACE = [
  '--workspace <id>',
  'id of the workspace; needed where there are several',
  readId('--workspace'),
] as const;
const STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
const TYPES = ['access', 'portability', 'erasure'] as const;
const IDENTITY = 'an identity type of the API and its value; several times for several types';

const CREATE_HELP = `
  penstock dsr create --type erasure --identity email=ann@example.org --identity mobile_number=+39061234
  penstock dsr create --type access --csv requests.csv

Identity types: controller_customer_id, email, android_advertising_id, android_id, fire_advertising_id, ios_advertising_id,
ios_vendor_id, microsoft_advertising_id, microsoft_publisher_id, roku_advertising_id, roku_publisher_id, mobile_number,
phone_number_2, phone_number_3, other, other2 to other10; or mpid alone.
The first line of a CSV names its columns: identity types, and any of id, type, regulation, submitted, group,
skip_waiting_period, callback. What a row leaves empty comes from the options. Rows that are refused are shown with the
reason, the others are taken, and the exit code is 1. With a column id the same file may be given again: nobody is entered
twice.`;

const EXPORT_HELP = `
  penstock dsr export a7551968-d5d6-44b2-9831-815ac9017798 --file evidence.json
  penstock dsr export --erasures --file erasures.jsonl

Neither holds personal data: identities are keyed hashes. Keep the second one apart from the backups of the store: after one
was restored, \`penstock dsr reapply erasures.jsonl\` erases again who was erased since.`;

/** Registers the commands with which an officer handles requests. */
export function registerRequests(dsr: Command, context: CommandContext): void {
  registerEntering(dsr, context);
  registerLooking(dsr, context);
  registerExport(dsr, context);
}

function registerEntering(dsr: Command, context: CommandContext): void {
  const entering = () => import('./dsr/enter.ts');
  dsr
    .command('create')
    .description('enter a request, or each row of a CSV')
    .option('--identity <type=value...>', IDENTITY)
    .addOption(new Option('--type <type>', 'what is asked for').choices(TYPES).default('erasure'))
    .addOption(new Option('--regulation <law>', 'under which').choices(['gdpr', 'ccpa']).default('gdpr'))
    .option('--id <uuid>', 'subject_request_id, a UUID of version 4; without it one is made')
    .option('--submitted <time>', 'when the person asked, ISO 8601; without it now')
    .option('--group <id>', 'relates requests')
    .option('--skip-waiting-period', 'an erasure begins 23 hours from now, not in 7 days')
    .option('--callback <url...>', 'https addresses that are told of each change')
    .option('--csv <file>', 'enter its rows')
    .option(...WORKSPACE)
    .addHelpText('after', CREATE_HELP)
    .action(async (options: EntryOptions & WorkspaceOption & { csv?: string }) =>
      (await entering()).create(context, options),
    );
  dsr
    .command('preview')
    .description('what an erasure would remove now, by room; it changes nothing')
    .argument('[id]', 'a request that is not over')
    .option('--identity <type=value...>', `in place of a request: ${IDENTITY}`)
    .option(...WORKSPACE)
    .action(async (id: string | undefined, options: WorkspaceOption & { identity?: readonly string[] }) =>
      (await entering()).preview(context, { ...(id === undefined ? {} : { id }), ...options }),
    );
}

function registerLooking(dsr: Command, context: CommandContext): void {
  const requests = () => import('./dsr/requests.ts');
  dsr
    .command('list')
    .description('requests, the newest first')
    .addOption(new Option('--status <status>', 'only those').choices(STATUSES))
    .option('--group <id>', 'only those of this group')
    .option('--stuck', 'only those that do not go on as they should, and why')
    .option('--limit <count>', 'at most so many', readCount(10_000), 50)
    .option(...WORKSPACE)
    .action(async (options: ListOptions) => (await requests()).list(context, options));
  dsr
    .command('show')
    .description('one request: its times, what went, who was told, and why it is stuck if it is')
    .argument('<id>', 'subject_request_id')
    .option(...WORKSPACE)
    .action(async (id: string, options: WorkspaceOption) => (await requests()).show(context, { id, ...options }));
  dsr
    .command('retry')
    .description('try a request that failed again now, and not when its wait is over')
    .argument('<id>', 'subject_request_id')
    .option(...WORKSPACE)
    .action(async (id: string, options: WorkspaceOption) => (await requests()).retry(context, { id, ...options }));
}

interface ListOptions extends WorkspaceOption {
  readonly status?: (typeof STATUSES)[number];
  readonly group?: string;
  readonly stuck?: true;
  readonly limit: number;
}

function registerExport(dsr: Command, context: CommandContext): void {
  const requests = () => import('./dsr/requests.ts');
  dsr
    .command('export')
    .description('the evidence of one request, or all erasures for the day a backup is restored')
    .argument('[id]', 'subject_request_id')
    .option('--erasures', 'requests and tombstones of the workspace, as `reapply` reads them')
    .option('--file <file>', 'write there; without it to the output')
    .option(...WORKSPACE)
    .addHelpText('after', EXPORT_HELP)
    .action(async (id: string | undefined, options: WorkspaceOption & { erasures?: true; file?: string }) =>
      (await requests()).exportTo(context, { ...(id === undefined ? {} : { id }), ...options }),
    );
  dsr
    .command('reapply')
    .description('after a backup was restored: erase again who was erased since, by an export of erasures')
    .argument('<file>', 'of `penstock dsr export --erasures`')
    .option(...WORKSPACE)
    .action(async (file: string, options: WorkspaceOption) =>
      (await requests()).reapply(context, { file, ...options }),
    );
}
