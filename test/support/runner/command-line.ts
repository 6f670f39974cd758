import { runCommandLine } from '../../../src/cli/index.ts';
import { type Json, parseJson } from '../../../src/kernel/index.ts';

export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs command lines in this process, with an environment of their own; `isTerminal`: progress is written. */
export function commandLine(environment: Readonly<Record<string, string>>, { isTerminal = false } = {}) {
  const run = async (...args: readonly string[]): Promise<CommandResult> => {
    const written = { out: '', err: '' };
    const code = await runCommandLine(['node', 'penstock', ...args], {
      environment,
      out: { write: (text) => (written.out += text) },
      err: { isTTY: isTerminal, write: (text) => (written.err += text) },
    });
    return { code, ...written };
  };
  return {
    run,
    /** What it answered to a program; the command must succeed. */
    async json<Answer = Record<string, Json>>(...args: readonly string[]): Promise<Answer> {
      const { code, out, err } = await run('--json', ...args);
      if (code !== 0) throw new Error(`penstock ${args.join(' ')} ended with ${code}: ${err}`);
      return parseJson(out) as Answer;
    },
  };
}
