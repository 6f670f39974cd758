import type { AppError } from '../kernel/index.ts';

/** Exit codes of commands, on which orchestrators branch. The table of docs/errors.md is generated from them. */
export const EXIT = {
  ok: { code: 0, meaning: 'Done; with --wait: the run succeeded.' },
  failed: { code: 1, meaning: 'The command failed; the message gives the reason. With --wait: the run failed.' },
  refused: { code: 2, meaning: 'The command line, a setting or the state of the resource does not allow the command.' },
  stopped: { code: 3, meaning: 'With --wait: the run was stopped before its end.' },
  timeout: { code: 4, meaning: 'With --wait: the run was not over when --timeout ended; it goes on.' },
} as const;

/** Returns the exit code of an error: the caller can fix a refusal, but no other error. */
export function exitCodeOf(error: AppError): number {
  return error.disposition === 'refused' ? EXIT.refused.code : EXIT.failed.code;
}
