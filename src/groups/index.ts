// Groups: people who share the value of an attribute, and what each of them inherits from it.
// This room knows the definition, who belongs together and the aggregates; it knows no batch, no pipeline and no warehouse.
// What a group gives stands once, beside its members, and identity lays it over a profile where it is read: a run rewrites
// no profile, so it cannot lose what a delivery writes, and a delivery never waits for a run.
// Terminology: a *candidate* has the grouping attribute; the first ten of a group are its *members*, the others are left out.
import type { Endpoint } from '../http/index.ts';
import type { GroupsDeps } from './groups-deps.ts';
import { definitionEndpoints } from './routes/definitions.ts';
import { groupRunEndpoints } from './routes/runs.ts';

export { groupRunAnswer } from './contract/run.ts';
export { createGroups, requestWeeklyRuns } from './create-groups.ts';
export { expireGroupRuns } from './expire-group-runs.ts';
export { forgetMembers } from './forget-members.ts';
export { type GroupRun, totalOf } from './group-run.ts';
export type { GroupsDeps, RunDeps } from './groups-deps.ts';
export { listGroupRuns, loadGroupRun } from './load-runs.ts';
export { requestGroupRun } from './request-run.ts';
export { workGroupRuns } from './run/work-runs.ts';

/** Returns the endpoints of group definitions and of the reports of group runs. */
export function groupsEndpoints(deps: GroupsDeps): readonly Endpoint[] {
  return [...definitionEndpoints(deps), ...groupRunEndpoints(deps)];
}
