import { AppError } from '../../kernel/index.ts';

/** What a failure of a run is about: what stops until someone acts. */
export type FaultSubject = 'connection' | 'data model' | 'pipeline';

/** Runs `work`. An error that it throws is about `subject`, unless a call further inside named another. */
export async function at<Result>(subject: FaultSubject, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown.about(subject) : thrown;
  }
}

/** Returns what the error is about. What nothing named is about the connection: the warehouse could not be worked with. */
export function subjectOf({ subject }: AppError): FaultSubject {
  return subject === 'pipeline' || subject === 'data model' ? subject : 'connection';
}
