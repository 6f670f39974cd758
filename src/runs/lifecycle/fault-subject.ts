import { AppError } from '../../kernel/index.ts';

/** The part that caused a failure of a run, and that stops until someone acts. */
export type FaultSubject = 'connection' | 'data model' | 'pipeline';

/** Runs `work`. Errors that it throws get the subject `subject`, unless a call further inside named another. */
export async function at<Result>(subject: FaultSubject, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown.about(subject) : thrown;
  }
}

/** Returns the subject of an error. Without a named subject it is the connection: the warehouse could not be used. */
export function subjectOf({ subject }: AppError): FaultSubject {
  return subject === 'pipeline' || subject === 'data model' ? subject : 'connection';
}
