import type { Register } from './command.ts';

const HELP = `
Looks at folder, disk, keys, port, store, clock, schedule, batches, erasures, pipelines and every connection, and says how to
fix what is wrong. Exit code 0 when nothing failed, 1 otherwise.`;

export const registerDoctor: Register = (program, context) => {
  program
    .command('doctor')
    .description('check the installation and say how to fix what is wrong')
    .addHelpText('after', HELP)
    .action(async () => (await import('./doctor/run-doctor.ts')).runDoctor(context));
};
