import type { AppError } from '../kernel/index.ts';

/** What a command ends with; orchestrators branch on it. The README's table is tested against this one. */
export const EXIT = {
  ok: { code: 0, meaning: 'Done; with --wait: the run succeeded.' },
  failed: { code: 1, meaning: 'Something went wrong that the message explains; with --wait: the run failed.' },
  refused: { code: 2, meaning: 'The command line, a setting or the state of the resource does not allow it.' },
  stopped: { code: 3, meaning: 'With --wait: the run was stopped before its end.' },
  timeout: { code: 4, meaning: 'With --wait: the run was not over when --timeout ended; it goes on.' },
} as const;

/** A refusal is the caller's to mend, anything else ours or the world's. */
export function exitCodeOf(error: AppError): number {
  return error.disposition === 'refused' ? EXIT.refused.code : EXIT.failed.code;
}
