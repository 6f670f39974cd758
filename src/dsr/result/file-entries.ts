// Entries in the file of an access or portability request (D-063).
import { identityAnswer, personBatches, profileAnswer } from '../../events/index.ts';
import { type Environment, readFormerIdentities, readProfile } from '../../identity/index.ts';
import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { ZipEntry } from './zip.ts';

/** A profile found for the request. */
export interface FoundPerson {
  readonly environment: Environment;
  readonly mpid: bigint;
}

export interface SubjectData {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  /** Profiles to export; at least one. */
  readonly people: readonly FoundPerson[];
}

/**
 * UTF-16 units after which a `batches-NNNN.jsonl` ends, with the page that passes them: small enough for an editor, and far
 * below 4 GiB.
 */
const ENTRY_LENGTH = 64 * 1024 * 1024;

/**
 * Yields `profile.jsonl` with one profile a line and `batches-NNNN.jsonl` with one stored batch a line, the newest first.
 * Yields `empty.txt` where the store holds neither. Each page is a statement of its own, so no snapshot is held open.
 */
export async function* fileEntries(data: SubjectData): AsyncGenerator<ZipEntry, void, undefined> {
  let entries = 0;
  for await (const entry of dataEntries(data)) {
    entries += 1;
    yield entry;
  }
  // The file itself says that nothing is stored (D-063).
  if (entries === 0) yield { name: 'empty.txt', text: oneText(nothingHeld(data)) };
}

async function* dataEntries(data: SubjectData): AsyncGenerator<ZipEntry, void, undefined> {
  const profiles = await profileLines(data);
  if (profiles !== '') yield { name: 'profile.jsonl', text: oneText(profiles) };
  yield* batchEntries(batchPages(data));
}

/** Returns the profiles of a request as lines. A request is about few people, and profiles without their batches are small. */
async function profileLines({ store, workspaceId, people }: SubjectData): Promise<string> {
  let lines = '';
  for (const { environment, mpid } of people) {
    const scope = { workspaceId, environment };
    const profile = await readProfile(store, scope, mpid);
    if (profile === undefined) continue;
    const former = await readFormerIdentities(store, scope, mpid);
    lines += `${stringifyJson({ ...profileAnswer(profile), former_identities: former.map(identityAnswer) })}\n`;
  }
  return lines;
}

async function* batchPages({ store, workspaceId, people }: SubjectData): AsyncGenerator<string, void, undefined> {
  for (const person of people) {
    for await (const page of personBatches(store, { workspaceId, ...person })) {
      yield page.map(({ text }) => `${text}\n`).join('');
    }
  }
}

/** Yields the batches in entries of limited size. Each entry must be read to its end before the next is requested. */
async function* batchEntries(
  pages: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<ZipEntry, void, undefined> {
  let page = await pages.next();
  async function* fill(): AsyncGenerator<string, void, undefined> {
    for (let length = 0; page.done !== true && length < ENTRY_LENGTH; page = await pages.next()) {
      length += page.value.length;
      yield page.value;
    }
  }
  for (let number = 1; page.done !== true; number++) {
    yield { name: `batches-${String(number).padStart(4, '0')}.jsonl`, text: fill() };
  }
}

async function* oneText(text: string): AsyncGenerator<string, void, undefined> {
  yield text;
}

function nothingHeld({ people }: SubjectData): string {
  const mpids = people.map(({ environment, mpid }) => `MPID ${mpid} (${environment})`);
  return `No data is stored about ${mpids.join(', ')}.\n`;
}
