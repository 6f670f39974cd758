// The `penstock` command: parse the arguments, hand over, end with its code.
import { runCommandLine } from './cli/index.ts';
import { quickenImports } from './quick-imports.ts';

// files that Penstock writes (secrets, rows, results) are for its own user alone
process.umask(0o077);
// commands import what they need when they are called
quickenImports();
// a reader of the output may stop early: `penstock pipeline runs ID | head -3`
process.stdout.once('error', () => process.exit());
// a daemon outlives the terminal or the pipe that read its log, and drains as ever
process.stderr.on('error', () => undefined);
process.exitCode = await runCommandLine(process.argv);
