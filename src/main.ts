// The `penstock` command: parse the arguments, hand over, end with its code.
import { runCommandLine } from './cli/index.ts';

process.exitCode = await runCommandLine(process.argv);
