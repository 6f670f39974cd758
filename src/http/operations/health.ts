import type { Clock, Log } from '../../kernel/index.ts';
import { AppError } from '../../kernel/index.ts';
import { within } from '../server/within.ts';

export interface ReadinessCheck {
  /** Subject of the check: `store`, `migrations`. */
  readonly name: string;
  /** Resolves where all is well. Throws an AppError whose message names the problem. */
  check(): Promise<void>;
}

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly reason?: string }[];
}

const CHECK_MS = 2000;

interface ReadinessOptions {
  readonly checks: readonly ReadinessCheck[];
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tells whether the daemon can work now. Runs all checks anew each time; a check that hangs has failed. */
export async function readiness({ checks, isDraining, clock, log }: ReadinessOptions): Promise<Readiness> {
  const draining = isDraining() ? [{ name: 'draining', ok: false, reason: 'The daemon is shutting down.' }] : [];
  const results = await Promise.all(
    checks.map(async ({ name, check }) => {
      try {
        await within(clock, CHECK_MS, check);
        return { name, ok: true };
      } catch (error) {
        log.debug({ check: name, err: error }, 'http.not-ready');
        return { name, ok: false, reason: error instanceof AppError ? error.message : reasonOf(error) };
      }
    }),
  );
  const all = [...draining, ...results];
  return { status: all.every(({ ok }) => ok) ? 'ready' : 'not_ready', checks: all };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message.startsWith('no answer')
    ? `${error.message}.`
    : 'The check failed; the log has the reason.';
}
