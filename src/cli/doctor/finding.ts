import { asAppError } from '../../kernel/index.ts';

/** What one look of the doctor found, and, unless all is well, how to mend it. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly mend?: string;
}

/** Runs one check; what it throws is a failure with the error's own message. */
export async function examine(check: string, look: () => Promise<Omit<Finding, 'check'>>): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (thrown) {
    return { check, status: 'failed', found: asAppError(thrown).message };
  }
}
