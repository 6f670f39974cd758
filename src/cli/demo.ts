import { existsSync } from 'node:fs';
import { AppError } from '../kernel/index.ts';
import type { Register } from './command.ts';

const HELP = `
Copies 69,659 real purchases into a warehouse of its own, has Penstock turn them into profiles, adds the purchases of one
more month, and shows that only the people who bought again move. Everything lives in a temporary folder, which is removed at
the end, also after Ctrl-C; nothing is sent anywhere, and no setting or store of yours is touched.`;

export const registerDemo: Register = (program, context) => {
  program
    .command('demo')
    .description('turn rows of a sample warehouse into profiles; needs no setup, leaves no data')
    .addHelpText('after', HELP)
    .action(async () => {
      requireData();
      await (await import('./demo/run-demo.ts')).runDemo(context);
    });
};

/** Throws NOT_SUPPORTED where the files of the demo are missing, as in the daemon's image. */
function requireData(): void {
  if (existsSync(new URL('../../demo', import.meta.url))) return;
  throw new AppError(
    'NOT_SUPPORTED',
    'The demo is not part of this installation. Clone the repository and run `npm run demo`.',
  );
}
