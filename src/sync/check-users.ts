// A PUT of a model or a transformation may not break the pipelines that use it: each warehouse describes each model once. A
// warehouse that cannot be asked now refuses nothing, because it is asked again before each run.
import { type Issue, refuse } from '../kernel/index.ts';
import { joinedWarnings } from './check-pipeline.ts';
import { type Described, describeForPipeline } from './describe-model.ts';
import type { Notice } from './pipeline.ts';
import { askedOf, misfits } from './pipeline-fit.ts';
import type { PipelineContext } from './pipeline-status.ts';
import type { SyncDeps } from './sync-deps.ts';
import { transformationMisfits } from './transformation-fit.ts';

/** What the new version warns each pipeline of, by the pipeline's number. */
export type NoticesOfUsers = ReadonlyMap<bigint, readonly Notice[]>;

type Complain = (user: PipelineContext, described: Described) => readonly Issue[];

/** `users` have the model's new text already. Throws VALIDATION_FAILED. */
export function checkModelUsers(deps: SyncDeps, users: readonly PipelineContext[]): Promise<NoticesOfUsers> {
  return checkUsers(deps, users, (user, described) => {
    const { connection, pipeline } = user;
    const complain = (message: string): Issue => ({
      path: 'config.sql_query',
      message: `does not suit the pipeline "${pipeline.id}", which uses it: ${message}`,
    });
    // a pipeline whose connection is faulted is not judged: what it would say is about another warehouse, perhaps
    if (connection.fault !== null || described.outcome === 'unavailable') return [];
    if (described.outcome === 'invalid') return [complain(described.error.message)];
    return misfits(described.columns, askedOf(user)).map(({ path, message }) => complain(`${path}: ${message}`));
  });
}

/** `users` have the new transformation already. Throws VALIDATION_FAILED. */
export function checkTransformationUsers(deps: SyncDeps, users: readonly PipelineContext[]): Promise<NoticesOfUsers> {
  return checkUsers(deps, users, ({ pipeline, transformation }, described) => {
    // a model that its warehouse refuses is not mended by the transformation
    if (described.outcome !== 'described') return [];
    return transformationMisfits(described.columns, transformation?.mappings ?? []).map(({ path, message }) => ({
      path,
      message: `does not suit the pipeline "${pipeline.id}", which uses it: ${message}`,
    }));
  });
}

async function checkUsers(
  deps: SyncDeps,
  users: readonly PipelineContext[],
  complain: Complain,
): Promise<NoticesOfUsers> {
  const groups = Map.groupBy(users, ({ connection, dataModel }) => `${connection.id}/${dataModel.id}`);
  const described = await Promise.all(
    [...groups.values()].map(async (group) => {
      const { connection, dataModel } = group[0] as PipelineContext;
      const answer = await describeForPipeline(deps, connection, dataModel.sqlQuery);
      return group.map((user) => ({ user, answer }));
    }),
  );
  const issues = described.flat().flatMap(({ user, answer }) => complain(user, answer));
  if (issues.length > 0) throw refuse(issues);
  return new Map(
    described.flat().map(({ user, answer }) => [user.pipeline.number, joinedWarnings(askedOf(user), answer)]),
  );
}
