import type { WorkspaceId } from '../kernel/index.ts';

/** Groups of one environment of a workspace. */
export interface GroupScope {
  readonly workspaceId: WorkspaceId;
  /** As identity numbers them. */
  readonly environment: number;
}

/** Groups whose keys lie in `(after, upTo]`. */
export interface KeyRange {
  readonly after: string;
  readonly upTo: string;
}

/** No hash is ever that low. */
export const BEFORE_ALL_KEYS = '00000000-0000-0000-0000-000000000000';
export const LAST_KEY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
