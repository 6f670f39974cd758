// The `penstock` command: parse the arguments, hand over, end with its code.
import { runCommandLine } from './cli/index.ts';

// who reads our answer may stop early: `penstock pipeline runs ID | head -3`
process.stdout.once('error', () => process.exit());
process.exitCode = await runCommandLine(process.argv);
