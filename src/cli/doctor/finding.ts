import { asAppError } from '../../kernel/index.ts';

/** Result of one check of the doctor, with the remedy unless all is well. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly fix?: string;
}

/** Runs one check. An error that the check throws becomes a failure with the error's own message and `fix` as its remedy. */
export async function examine(
  check: string,
  look: () => Promise<Omit<Finding, 'check'>>,
  fix?: string,
): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (thrown) {
    const failure: Finding = { check, status: 'failed', found: asAppError(thrown).message };
    return fix === undefined ? failure : { ...failure, fix };
  }
}
