import { fieldOf } from '../_shared/field-of.ts';

/** Error that the SDK throws for an answer without a result. The class is not exported, so its fields identify it. */
interface HttpFailure {
  readonly statusCode: number;
  readonly response: { readonly headers: { get(name: string): string | null } };
}

export function httpFailureOf(failure: unknown): HttpFailure | undefined {
  return isHttpFailure(failure) ? failure : undefined;
}

function isHttpFailure(failure: unknown): failure is HttpFailure {
  const headers = fieldOf(fieldOf(failure, 'response'), 'headers');
  return typeof fieldOf(failure, 'statusCode') === 'number' && typeof fieldOf(headers, 'get') === 'function';
}

/** Returns the seconds that the server asks to wait, or undefined where it asks for none or answered with another status. */
export function retryAfterSecondsOf(failure: unknown, status?: number): number | undefined {
  const answer = httpFailureOf(failure);
  if (answer === undefined || (status !== undefined && answer.statusCode !== status)) return undefined;
  const seconds = Number(answer.response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(seconds, 0.1) : undefined;
}
