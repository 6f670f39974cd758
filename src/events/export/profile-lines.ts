import { type Environment, type Profile, readProfilesAfter } from '../../identity/index.ts';
import { stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import { inIndexOrder, type Store } from '../../store/index.ts';
import { profileAnswer } from '../profiles/profile-answer.ts';
import { type ProfilePosition, profileCursor } from './cursor.ts';

export interface ProfileLines {
  readonly store: Store;
  readonly workspaceId: WorkspaceId;
  /** Environments in the order of the export. */
  readonly environments: readonly Environment[];
  /** Bounds of their creation, inclusive. */
  readonly from: Date;
  readonly to: Date;
  readonly after: ProfilePosition | undefined;
  readonly limit: number;
}

/** MPIDs are positive. */
const BEFORE_ANY = 0n;

/**
 * Reads profiles in order of environment and MPID, which never change. So each profile that exists when an export begins is
 * in it once. A profile that is created meanwhile may be in it or not.
 */
async function* profilePages({ store, workspaceId, environments, from, to, after }: ProfileLines) {
  const begin = after === undefined ? 0 : environments.indexOf(after.environment);
  for (const environment of environments.slice(begin)) {
    let mpid: bigint | undefined = after?.environment === environment ? after.mpid : BEFORE_ANY;
    while (mpid !== undefined) {
      const behind = mpid;
      const page: readonly Profile[] = await inIndexOrder(store, (sql) =>
        readProfilesAfter(sql, { workspaceId, environment, from, to }, behind),
      );
      if (page.length > 0) yield page;
      mpid = page.at(-1)?.mpid;
    }
  }
}

/** Writes the profiles as NDJSON, a page at a time. */
export async function* profileLines(asked: ProfileLines): AsyncGenerator<string, void, undefined> {
  let left = asked.limit;
  for await (const page of profilePages(asked)) {
    const lines = page.slice(0, left).map(profileLine);
    left -= lines.length;
    yield lines.join('');
    if (left === 0) return;
  }
}

const profileLine = (profile: Profile): string =>
  `${stringifyJson({ cursor: profileCursor(profile), ...profileAnswer(profile) })}\n`;
