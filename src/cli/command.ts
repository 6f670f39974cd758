import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Output } from './output.ts';

/** What every command gets. Configuration is read when a command needs it, so that `--help` works without any. */
export interface CommandContext {
  config(): Config;
  output(): Output;
  setExitCode(code: number): void;
}

/** Adds one command, with its sub-commands, to the program. */
export type Register = (program: Command, context: CommandContext) => void;
