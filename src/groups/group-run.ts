import type { InferSelectModel } from 'drizzle-orm';
import type { Environment } from '../identity/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { groupRuns } from './tables.ts';

export type GroupRunType = 'weekly' | 'on_demand';
export type GroupRunStatus = 'queued' | 'running' | 'success' | 'failed' | 'stopped';

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

type Row = InferSelectModel<typeof groupRuns>;

export interface GroupRun extends Omit<Row, 'workspaceId' | 'type' | 'status' | 'counts' | 'progress'> {
  readonly workspaceId: WorkspaceId;
  readonly type: GroupRunType;
  readonly status: GroupRunStatus;
  readonly counts: CountsByEnvironment;
  readonly progress: Progress | null;
}

const NOTHING: GroupCounts = { profiles: 0, groups: 0, members: 0, leftOut: 0, changedProfiles: 0 };
export const NO_COUNTS: CountsByEnvironment = { production: NOTHING, development: NOTHING };

export function runFromRow(row: Row): GroupRun {
  return {
    ...row,
    workspaceId: row.workspaceId as WorkspaceId,
    type: row.type as GroupRunType,
    status: row.status as GroupRunStatus,
    counts: JSON.parse(row.counts) as CountsByEnvironment,
    progress: row.progress === null ? null : (JSON.parse(row.progress) as Progress),
  };
}

/** Returns the sum of both environments. */
export function totalOf({ production, development }: CountsByEnvironment): GroupCounts {
  return addCounts(production, development);
}

export function addCounts(one: GroupCounts, other: Partial<GroupCounts>): GroupCounts {
  const names = Object.keys(NOTHING) as (keyof GroupCounts)[];
  const sums = names.map((name) => [name, one[name] + (other[name] ?? 0)] as const);
  return Object.fromEntries(sums) as Record<keyof GroupCounts, number>;
}
