import type { Register } from './command.ts';

const HELP = `
Serves the API and runs the pipelines that are due. SIGTERM or Ctrl-C drains: the chunk in delivery is finished, its
run is requeued, and the process ends within seconds. A second signal ends it at once.

Settings come from environment variables; docs/settings.md lists them. The log is written to standard error as JSON lines.`;

export const registerServe: Register = (program, context) => {
  program
    .command('serve')
    .description('start the daemon')
    .addHelpText('after', HELP)
    .action(async () => (await import('./serve/run-daemon.ts')).runDaemon(context));
};
