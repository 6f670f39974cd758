// A mark on errors of sign-in: the same code means another thing while a session runs, where 390114 asks for a new sign-in.
const MARK = Symbol('failure of a sign-in');

/** Wraps the SDK's error of a sign-in. */
export function signInFailure(cause: unknown): Error {
  return Object.assign(new Error('', { cause }), { [MARK]: true });
}

export function isSignInFailure(error: unknown): boolean {
  return error instanceof Error && MARK in error;
}
