import { readId } from './arguments.ts';
import type { Register } from './command.ts';

export const registerTombstone: Register = (program, context) => {
  const tombstone = program.command('tombstone').description('allow an identity of an erased person again');
  tombstone
    .command('lift')
    .description('remove the tombstone of one identity, in both environments; the audit log records it')
    .argument('<type>', 'identity type, such as email or customer_id')
    .argument('<value>')
    .option('--workspace <id>', 'id of the workspace; required if there are several', readId('--workspace'))
    .action(async (type: string, value: string, options: { workspace?: bigint }) =>
      (await import('./tombstone/lift.ts')).lift(context, { type, value, ...options }),
    );
};
