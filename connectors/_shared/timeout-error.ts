/** Builds the error of a wait that took too long, with the code that a socket has then. */
export function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/** Builds the error of a server that did not answer in time. */
export function noAnswerWithin(limitMs: number): Error {
  return timeoutError(`No answer within ${limitMs / 1000} s`);
}
