import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Output } from './output.ts';

/**
 * Context that every command gets. The configuration is read when a command asks for it, so that `--help` works without one.
 */
export interface CommandContext {
  config(): Config;
  output(): Output;
  setExitCode(code: number): void;
}

/** A function that adds one command with its subcommands to the program. */
export type Register = (program: Command, context: CommandContext) => void;
