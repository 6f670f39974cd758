// A PUT of a model or a transformation must not break the pipelines that use it: each warehouse describes each model once. A
// warehouse that does not answer now refuses nothing, because each run asks it again.
import { field, type Issue, itemAt, refuse, say, type Worded } from '../../kernel/index.ts';
import { type Described, describeForPipeline } from '../data-models/describe-model.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import type { PipelineContext } from '../pipelines/pipeline-status.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { transformationMisfits } from '../transformations/transformation-fit.ts';
import { joinedWarnings } from './check-pipeline.ts';
import { columnNeedsOf, pipelineMisfits } from './pipeline-fit.ts';
import { candidateOf, writeBackMisfits } from './write-back-fit.ts';

/** Warnings of the new version for each pipeline, by the pipeline's number. */
export type NoticesOfUsers = ReadonlyMap<bigint, readonly Notice[]>;

type Complain = (user: PipelineContext, described: Described) => readonly Issue[] | Promise<readonly Issue[]>;

/** Checks the pipelines of a model. `users` have its new text already. Throws VALIDATION_FAILED. */
export function checkModelUsers(deps: PipelinesDeps, users: readonly PipelineContext[]): Promise<NoticesOfUsers> {
  return checkUsers(deps, users, async (user, described) => {
    const { connection, pipeline } = user;
    const complain = (why: Worded): Issue => ({
      path: 'config.sql_query',
      ...say`does not fit the pipeline "${pipeline.id}", which uses it: ${why}`,
    });
    const columns = described.outcome === 'described' ? described.columns : undefined;
    const ofRules = await writeBackMisfits(deps, candidateOf(user), columns);
    // a pipeline with a faulted connection is not judged by the warehouse, which may be the wrong one
    const isJudged = connection.fault === null && described.outcome !== 'unavailable';
    const ofColumns = isJudged && columns !== undefined ? pipelineMisfits(columns, columnNeedsOf(user)) : [];
    const ofWarehouse = isJudged && described.outcome === 'invalid' ? [complain(described.error)] : [];
    return [
      ...[...ofRules, ...ofColumns].map((issue) => complain(say`${field(issue.path)}: ${issue}`)),
      ...ofWarehouse,
    ];
  });
}

/** Checks the pipelines of a transformation. `users` have its new version already. Throws VALIDATION_FAILED. */
export function checkTransformationUsers(
  deps: PipelinesDeps,
  users: readonly PipelineContext[],
): Promise<NoticesOfUsers> {
  return checkUsers(deps, users, ({ pipeline, transformation }, described) => {
    // a transformation cannot fix a model that its warehouse refuses
    if (described.outcome !== 'described') return [];
    return transformationMisfits(described.columns, transformation?.mappings ?? []).map(({ path, message }) => ({
      path,
      message: `does not fit the pipeline "${pipeline.id}", which uses it: ${message}`,
    }));
  });
}

async function checkUsers(
  deps: PipelinesDeps,
  users: readonly PipelineContext[],
  complain: Complain,
): Promise<NoticesOfUsers> {
  const groups = Map.groupBy(users, ({ connection, dataModel }) => `${connection.id}/${dataModel.id}`);
  const described = await Promise.all(
    [...groups.values()].map(async (group) => {
      const { connection, dataModel } = itemAt(group, 0);
      const [iterator] = group.flatMap(({ pipeline }) => pipeline.syncMode.iterator?.field ?? []);
      const answer = await describeForPipeline(deps, connection, { sqlQuery: dataModel.sqlQuery, iterator });
      return group.map((user) => ({ user, answer }));
    }),
  );
  const complaints = await Promise.all(described.flat().map(({ user, answer }) => complain(user, answer)));
  const issues = complaints.flat();
  if (issues.length > 0) throw refuse(issues);
  return new Map(
    described
      .flat()
      .map(({ user, answer }) => [
        user.pipeline.number,
        joinedWarnings(columnNeedsOf(user), answer, deps.fleet[user.connection.provider]?.dialect),
      ]),
  );
}
