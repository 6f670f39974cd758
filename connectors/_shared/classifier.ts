// The entry for every failure of a server, a driver or an SDK. Its texts are cut before a pattern, the log or the store sees
// them. The server decides how long they are, and some patterns take time that grows with the square of the length.
import { AppError } from '../../src/kernel/index.ts';
import { fieldOf } from './field-of.ts';

/** Characters of a server's text that are matched, logged, stored and answered. */
export const MOST_TEXT_CHARS = 2000;

export function cutText(text: string): string {
  return text.length <= MOST_TEXT_CHARS ? text : `${text.slice(0, MOST_TEXT_CHARS)}…`;
}

/** Depth to which nested errors are cut; deeper ones are neither matched nor logged. */
const MOST_DEPTH = 6;

/** Builds `classify` of a connector: our own errors pass unchanged, and `name` gets the others with their texts cut. */
export function classifier(name: (failure: unknown) => AppError): (failure: unknown) => AppError {
  return (failure) => (failure instanceof AppError ? failure : name(cutFailure(failure)));
}

/** Cuts the texts in place, because the failure itself becomes the cause that is logged. */
function cutFailure(failure: unknown, depth = 0): unknown {
  if (typeof failure === 'string') return cutText(failure);
  if (typeof failure !== 'object' || failure === null || depth > MOST_DEPTH) return failure;
  if (failure instanceof Error && failure.message.length > MOST_TEXT_CHARS)
    rewordFailure(failure, cutText(failure.message));
  for (const name of ['message', 'hint', 'detail', 'details', 'error_description']) {
    const text = fieldOf(failure, name);
    if (typeof text === 'string' && text.length > MOST_TEXT_CHARS) Reflect.set(failure, name, cutText(text));
  }
  const errors = fieldOf(failure, 'errors');
  for (const inner of [fieldOf(failure, 'cause'), ...(Array.isArray(errors) ? errors : [])])
    cutFailure(inner, depth + 1);
  return failure;
}

/** Replaces the message, also in the stack, which repeats it in front of its frames. */
export function rewordFailure(failure: Error, text: string): void {
  const { message, stack = '' } = failure;
  const at = stack.indexOf(message);
  failure.message = text;
  failure.stack = at === -1 ? cutText(stack) : stack.slice(0, at) + text + stack.slice(at + message.length);
}
