import { Option } from 'commander';
import { readCount, readId } from './arguments.ts';
import type { Register } from './command.ts';
import { registerRequests } from './dsr-requests.ts';

const WORKSPACE = [
  '--workspace <id>',
  'id of the workspace; required if there are several',
  readId('--workspace'),
] as const;

const HELP = `
A request on its way:
  penstock dsr preview --identity email=ann@example.org   what an erasure would remove
  penstock dsr create --identity email=ann@example.org    enter it; it begins in 7 days, until then it can be cancelled
  penstock dsr show ID                                    where it stands, what went, who was told
  penstock dsr list --stuck                               what does not go on as it should, and why
  penstock dsr export ID --file evidence.json             its evidence, without personal data`;

const STATES = ['queued', 'delivered', 'given_up'] as const;

export const registerDsr: Register = (program, context) => {
  const dsr = program
    .command('dsr')
    .description('create, watch and export data subject requests; manage callbacks and the certificate')
    .addHelpText('after', HELP);
  registerRequests(dsr, context);
  dsr
    .command('callbacks')
    .description('list callbacks with their deliveries, newest first, or send one again')
    .option(...WORKSPACE)
    .option('--request <id>', 'only callbacks of this subject_request_id')
    .addOption(new Option('--state <state>', 'only callbacks in this state').choices(STATES))
    .option('--limit <count>', 'maximum number of entries', readCount(1000), 50)
    .option('--replay <id>', 'send this callback again now, with the same body', readId('--replay'))
    .action(async (options: CallbackOptions) => {
      const commands = await import('./dsr/callbacks.ts');
      const { replay } = options;
      if (replay === undefined) await commands.list(context, options);
      else await commands.replay(context, { workspace: options.workspace, id: replay });
    });
  dsr
    .command('certificate')
    .description('show what a receiver needs to check signatures: domains, fingerprint, validity, URL, PEM')
    .option('--rotate', 'sign with a new self-signed certificate; the old one is served until it expires')
    .action(async (options: { rotate?: true }) => (await import('./dsr/certificate.ts')).show(context, options));
};

interface CallbackOptions {
  readonly workspace?: bigint;
  readonly request?: string;
  readonly state?: (typeof STATES)[number];
  readonly limit: number;
  readonly replay?: bigint;
}
