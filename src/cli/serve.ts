import type { Register } from './command.ts';

const HELP = `
Serves the API and works on the pipelines that are due. SIGTERM or Ctrl-C drains: the chunk that is being delivered ends, its
run goes back to the queue, and the process ends in seconds. A second signal ends it at once.

Settings come from environment variables; docs/settings.md lists them. The log is JSON lines on the error output.`;

export const registerServe: Register = (program, context) => {
  program
    .command('serve')
    .description('start the daemon')
    .addHelpText('after', HELP)
    .action(async () => (await import('./serve/run-daemon.ts')).runDaemon(context));
};
