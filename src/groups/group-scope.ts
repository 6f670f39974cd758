import type { WorkspaceId } from '../kernel/index.ts';

/** Groups of one environment of a workspace. */
export interface GroupScope {
  readonly workspaceId: WorkspaceId;
  /** Number of the environment, as identity assigns it. */
  readonly environment: number;
}

/** Groups whose keys lie in `(after, upTo]`. */
export interface KeyRange {
  readonly after: string;
  readonly upTo: string;
}

/** A key below all others: no hash is ever that low. */
export const BEFORE_ALL_KEYS = '00000000-0000-0000-0000-000000000000';
export const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
