import type { InferSelectModel } from 'drizzle-orm';
import type { Environment } from '../identity/index.ts';
import type { groupRuns } from './tables.ts';

/** The results of a run in one environment. */
export interface GroupCounts {
  /** Profiles looked at. */
  readonly profiles: number;
  readonly groups: number;
  readonly members: number;
  /** People with the grouping attribute whose group was full, with 10 users (D-070). */
  readonly leftOut: number;
  /** Profiles whose group attributes changed: they joined, left or moved, or their group has other values now. */
  readonly changedProfiles: number;
}

export type CountsByEnvironment = Readonly<Record<Environment, GroupCounts>>;

/** The position of a run. */
export interface Progress {
  /** Revision of the definition that the run works with. */
  readonly revision: number;
  /** Index in the run's stages. */
  readonly stage: number;
  /** Key behind which the stage resumes; null at its beginning. */
  readonly after: string | null;
}

export type GroupRun = Readonly<InferSelectModel<typeof groupRuns>>;

const NOTHING: GroupCounts = { profiles: 0, groups: 0, members: 0, leftOut: 0, changedProfiles: 0 };
export const NO_COUNTS: CountsByEnvironment = { production: NOTHING, development: NOTHING };

/** Returns the sum of both environments. */
export function totalOf({ production, development }: CountsByEnvironment): GroupCounts {
  return addCounts(production, development);
}

export function addCounts(one: GroupCounts, other: Partial<GroupCounts>): GroupCounts {
  const { profiles = 0, groups = 0, members = 0, leftOut = 0, changedProfiles = 0 } = other;
  return {
    profiles: one.profiles + profiles,
    groups: one.groups + groups,
    members: one.members + members,
    leftOut: one.leftOut + leftOut,
    changedProfiles: one.changedProfiles + changedProfiles,
  };
}
