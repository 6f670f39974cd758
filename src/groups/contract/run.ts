// Wire shapes of the reports of group runs, an extension of the specification.
import { type Static, Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { formatTime } from '../../kernel/index.ts';
import { type GroupCounts, type GroupRun, totalOf } from '../group-run.ts';

const CLOSED = { additionalProperties: false };
const time = Type.String({ format: 'date-time' });
const timeOrNull = Type.Union([time, Type.Null()]);

const counts = {
  profiles: Type.Integer({ description: 'Number of profiles read.' }),
  groups: Type.Integer(),
  members: Type.Integer(),
  left_out: Type.Integer({ description: 'Number of people whose group was full; a group has at most 10 members.' }),
  changed_profiles: Type.Integer({ description: 'Number of profiles whose group attributes changed.' }),
};
const Counts = Type.Object(counts, { title: 'GroupCounts', ...CLOSED });

export const GroupRunAnswer = Type.Object(
  {
    id: Int64(),
    type: Type.Enum(['weekly', 'on_demand']),
    due_on: Type.Union([time, Type.Null()], { description: 'Monday of a weekly run.' }),
    status: Type.Enum(['queued', 'running', 'success', 'failed', 'stopped']),
    requested_on: time,
    requested_by: Type.String(),
    started_on: timeOrNull,
    ended_on: timeOrNull,
    error: Type.Union([Type.String(), Type.Null()]),
    ...counts,
    environments: Type.Object({ production: Counts, development: Counts }, CLOSED),
  },
  { title: 'GroupRun', ...CLOSED },
);
export type GroupRunAnswer = Static<typeof GroupRunAnswer>;

export const GroupRunsAnswer = Type.Object({ items: Type.Array(GroupRunAnswer) }, { title: 'GroupRuns', ...CLOSED });

export function groupRunAnswer(run: GroupRun): GroupRunAnswer {
  const { id, type, status, requestedBy, error } = run;
  return {
    id,
    type,
    status,
    requested_by: requestedBy,
    error,
    due_on: formatTime(run.dueOn),
    requested_on: run.requestedOn.toISOString(),
    started_on: formatTime(run.startedOn),
    ended_on: formatTime(run.endedOn),
    ...countsAnswer(totalOf(run.counts)),
    environments: {
      production: countsAnswer(run.counts.production),
      development: countsAnswer(run.counts.development),
    },
  };
}

function countsAnswer({ profiles, groups, members, leftOut, changedProfiles }: GroupCounts): Static<typeof Counts> {
  return { profiles, groups, members, left_out: leftOut, changed_profiles: changedProfiles };
}
