import type { ErrorProto } from '../wire.ts';

/** A job that failed says so in its status, not by an error of the call: this makes one of it, with the fields of the SDK's. */
export function jobFailure(result: ErrorProto): Error {
  return Object.assign(new Error(result.message ?? 'The job failed.'), { errors: [result] });
}
