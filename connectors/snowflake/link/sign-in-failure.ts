// A mark on errors of sign-in: the same code means another thing while a session runs, where 390114 asks for a new sign-in.
import { fieldOf } from '../../_shared/field-of.ts';

const MARK = Symbol('failure of a sign-in');

/** Wraps the SDK's error of a sign-in, under the words of an identity provider that refused the client. */
export function signInFailure(cause: unknown): Error {
  return Object.assign(new Error(refusalIn(cause), { cause }), { [MARK]: true });
}

export function isSignInFailure(error: unknown): boolean {
  return error instanceof Error && MARK in error;
}

const MOST_BODY_CHARS = 65_536;

/** Returns `invalid_client: The secret has expired.` of the answer that RFC 6749, section 5.2 describes, else an empty text. */
function refusalIn(cause: unknown): string {
  const body = fieldOf(fieldOf(cause, 'response'), 'data');
  if (typeof body !== 'string' || body.length > MOST_BODY_CHARS) return '';
  const answer = parsed(body);
  const texts = [fieldOf(answer, 'error'), fieldOf(answer, 'error_description')];
  return texts.filter((text) => typeof text === 'string').join(': ');
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
