// The SDK takes the parts of a result as they come. One that is no JSON throws where nobody can catch it: the stream then
// hangs, or, where the part was fetched ahead, the process ends. One with too few rows makes a shorter result, and no error.
import type { ResultChunk } from './sdk.ts';

const LOADED = 'loadcomplete';

/** Looks at each part when its turn comes, before the SDK does; what is wrong with it becomes the stream's error. Once a process. */
export function checkParts(chunk: { readonly prototype: ResultChunk }): void {
  const emit = chunk.prototype.emit;
  chunk.prototype.emit = function checked(this: ResultChunk, event, ...[failure, part]) {
    // nobody listens to a part that was fetched ahead: its turn comes, and only then its rows take their room
    const isDue = event === LOADED && !failure && this.listenerCount(LOADED) > 0;
    return emit.call(this, event, isDue ? complaintAbout(this) : failure, part);
  };
}

function complaintAbout(part: ResultChunk): Error | undefined {
  const announced = part.getEndIndex() - part.getStartIndex() + 1;
  try {
    const rows = part.getRows();
    const found = Array.isArray(rows) ? rows.length : 0;
    if (found === announced) return undefined;
    return broken(`holds ${found} rows where ${announced} were announced`);
  } catch (cause) {
    return broken('cannot be read', cause);
  }
}

export const BROKEN_PART = 'A part of the result';

function broken(text: string, cause?: unknown): Error {
  return new Error(`${BROKEN_PART} ${text}`, { cause });
}
