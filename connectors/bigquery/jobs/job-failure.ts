import type { ErrorProto } from '../wire.ts';

/** Returns an error with the SDK's fields for a failed job, whose status reports the failure while the call itself succeeds. */
export function jobFailure(result: ErrorProto): Error {
  return Object.assign(new Error(result.message ?? 'The job failed.'), { errors: [result] });
}
