import { readId } from './arguments.ts';
import type { Register } from './command.ts';

export const registerTombstone: Register = (program, context) => {
  const tombstone = program.command('tombstone').description('let an identity of somebody who was erased come back');
  tombstone
    .command('lift')
    .description('lift the erasure of one identity, in both environments; it stands in the audit log')
    .argument('<type>', 'identity type, such as email or customer_id')
    .argument('<value>')
    .option('--workspace <id>', 'id of the workspace; needed where there are several', readId('--workspace'))
    .action(async (type: string, value: string, options: { workspace?: bigint }) =>
      (await import('./tombstone/lift.ts')).lift(context, { type, value, ...options }),
    );
};
