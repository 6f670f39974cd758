// The command line, with one file for each command. A command parses its arguments, opens what it needs, calls a verb of a room
// and shows the answer. A command holds no rule and no SQL of its own.
import { Command, CommanderError } from 'commander';
import { readConfig } from '../config.ts';
import { AppError, asAppError } from '../kernel/index.ts';
import type { CommandContext, Register } from './command.ts';
import { registerCredentials } from './credentials.ts';
import { registerDemo } from './demo.ts';
import { registerDoctor } from './doctor.ts';
import { registerDsr } from './dsr.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { registerFeed } from './feed.ts';
import { registerGroups } from './groups.ts';
import { registerInit } from './init.ts';
import { registerKeys } from './keys.ts';
import { createOutput, type OutputStreams, printable } from './output.ts';
import { registerPipeline } from './pipeline.ts';
import { registerServe } from './serve.ts';
import { registerTombstone } from './tombstone.ts';
import { registerWarehouse } from './warehouse.ts';
import { registerWorkspace } from './workspace.ts';

const COMMANDS: readonly Register[] = [
  registerServe,
  registerDemo,
  registerInit,
  registerWorkspace,
  registerCredentials,
  registerFeed,
  registerKeys,
  registerPipeline,
  registerGroups,
  registerTombstone,
  registerWarehouse,
  registerDsr,
  registerDoctor,
];

const FIRST_STEPS = `
First steps:
  penstock demo                        turn rows of a sample warehouse into profiles; needs no setup
  penstock init                        create the first workspace and its credentials
  penstock serve                       start the daemon (http://127.0.0.1:8080, reference under /docs)
  penstock pipeline trigger ID --wait  run a pipeline and wait; exit code 0 when it succeeded

Settings come from environment variables; docs/settings.md lists them.`;

/** Environment and streams of a command line; a default is the process's own. */
export interface Surroundings {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly out?: OutputStreams['out'];
  readonly err?: OutputStreams['err'];
}

/** Runs one command line and resolves to the exit code. Never throws. */
export async function runCommandLine(argv: readonly string[], surroundings: Surroundings = {}): Promise<number> {
  const { out = process.stdout, err = process.stderr, environment } = surroundings;
  let exitCode: number = EXIT.ok.code;
  const program = new Command('penstock')
    .description('Load rows of a data warehouse into customer profiles, exactly once.')
    .option('--json', 'write JSON instead of tables, for programs')
    .addHelpText('after', FIRST_STEPS);
  const isJson = () => program.opts<{ json?: true }>().json === true;
  const context: CommandContext = {
    setExitCode: (code) => {
      exitCode = code;
    },
    config: () => readConfig(environment),
    output: () => createOutput({ out, err, json: isJson() }),
  };
  for (const register of COMMANDS) register(program, context);
  endAlike(program, { out, err });
  try {
    await program.parseAsync([...argv]);
    return exitCode;
  } catch (error) {
    return explain(error, { err, json: isJson() || argv.includes('--json') });
  }
}

/** Keeps the command from ending the process or writing errors itself; errors are written in one place. */
function endAlike(command: Command, { out, err }: Pick<OutputStreams, 'out' | 'err'>): void {
  command
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: () => undefined,
    })
    .exitOverride((error) => {
      throw isHelp(error) ? error : wrongUse(error, command);
    });
  for (const child of command.commands) endAlike(child, { out, err });
}

const isHelp = ({ code }: CommanderError): boolean => code === 'commander.help' || code === 'commander.helpDisplayed';

/** Prefix that Commander puts before each error message. */
const PREFIX = 'error: ';

function wrongUse({ message }: CommanderError, command: Command): AppError {
  const complaint = message.startsWith(PREFIX) ? message.slice(PREFIX.length) : message;
  return new AppError('VALIDATION_FAILED', `${complaint}\n\`${fullName(command)} --help\` shows how.`);
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function explain(error: unknown, { err, json }: Pick<OutputStreams, 'err' | 'json'>): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok.code : EXIT.refused.code;
  const known = asAppError(error);
  const text = known.disposition === 'bug' ? (known.stack ?? known.message) : known.message;
  err.write(`${json ? JSON.stringify({ error: known.code, message: known.message }) : printable(text)}\n`);
  return exitCodeOf(known);
}
