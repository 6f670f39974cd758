// Checks of a result's parts, which the SDK takes unchecked. A part that is no JSON throws where nobody can catch it: the
// stream then hangs or, where the part was fetched ahead, the process ends. A part with too few rows shortens the result
// without an error.
import type { ResultChunk } from './sdk.ts';

const LOADED = 'loadcomplete';

/**
 * Uncompressed bytes of a part up to which it is fetched ahead. Accounts before Snowflake's bundle 2026_04 have parts that are
 * several times as large as CLIENT_RESULT_CHUNK_SIZE asks for: of those, one is in memory at a time.
 */
const MOST_AHEAD_BYTES = 64 * (1 << 20);

/** Checks each part before the SDK reads it, and turns a fault into the stream's error. Runs once for each process. */
export function checkParts(chunk: { readonly prototype: ResultChunk }): void {
  const { emit, load } = chunk.prototype;
  chunk.prototype.emit = function checked(this: ResultChunk, event, ...[failure, part]) {
    // a part that was fetched ahead has no listener yet: it is checked when its turn comes, and only then its rows take memory
    const isDue = event === LOADED && !failure && this.listenerCount(LOADED) > 0;
    const told = emit.call(this, event, isDue ? complaintAbout(this) : failure, part);
    // the stream has taken the rows and lets go of them one by one, while the part would keep them until the next is read
    if (isDue) this.clearRows(true);
    return told;
  };
  chunk.prototype.load = function loaded(this: ResultChunk, done) {
    const isAhead = this.listenerCount(LOADED) === 0;
    if (isAhead && this.getUncompressedSize() > MOST_AHEAD_BYTES) return;
    load.call(this, done);
  };
}

function complaintAbout(part: ResultChunk): Error | undefined {
  const announced = part.getEndIndex() - part.getStartIndex() + 1;
  try {
    const rows = part.getRows();
    const found = Array.isArray(rows) ? rows.length : 0;
    if (found === announced) return undefined;
    return broken(`contains ${found} rows but announces ${announced}`);
  } catch (cause) {
    return broken('cannot be read', cause);
  }
}

export const BROKEN_PART = 'A part of the result';

function broken(text: string, cause?: unknown): Error {
  return new Error(`${BROKEN_PART} ${text}`, { cause });
}
