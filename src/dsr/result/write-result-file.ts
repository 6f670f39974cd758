import { type Clock, type Log, workspaceId as workspaceOf } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Request } from '../request.ts';
import { type FoundPerson, fileEntries } from './file-entries.ts';
import { addPart, beginFile, type ResultFileKey, type WrittenFile } from './result-file.ts';
import { createZip } from './zip.ts';

export interface ResultFileDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Generator of file ids. */
  readonly nextId: () => bigint;
}

/**
 * Bytes of a part, exceeded by at most one buffer of zlib. A statement carries one part, and a download holds one at a time.
 */
const PART_BYTES = 256 * 1024;

/**
 * Writes the file of an access or portability request part by part. Returns undefined where no profile was found; `results_url`
 * then stays null (D-063). The file is hidden until `publishFile`. Throws LEASE_LOST where it was given up, and CANCELLED on an
 * abort; the next attempt starts clean.
 */
export async function writeResultFile(
  { store, clock, log, nextId }: ResultFileDeps,
  request: Pick<Request, 'workspaceId' | 'id'>,
  { people, signal }: { readonly people: readonly FoundPerson[]; readonly signal: AbortSignal },
): Promise<WrittenFile | undefined> {
  const requestId = request.id;
  const workspaceId = workspaceOf(request.workspaceId);
  if (people.length === 0) {
    log.info({ workspace: String(workspaceId), request: requestId }, 'dsr.nobody_found');
    return undefined;
  }
  const key: ResultFileKey = { workspaceId, requestId, fileId: nextId() };
  const startedOn = new Date(clock.nowMs());
  const mpids = [...new Set(people.map(({ mpid }) => mpid))];
  await store.transaction((tx) => beginFile(tx, { ...key, mpids, startedOn }));
  let parts = 0;
  let sizeBytes = 0;
  for await (const bytes of inParts(createZip(fileEntries({ store, workspaceId, people }), startedOn))) {
    const part = parts;
    await store.transaction((tx) => addPart(tx, key, { part, bytes }), { signal });
    parts += 1;
    sizeBytes += bytes.length;
  }
  return { ...key, parts, sizeBytes };
}

/** Yields the same bytes in larger pieces. */
async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < PART_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(held);
}
