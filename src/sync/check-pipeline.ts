import { type Issue, refuse } from '../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { DataModel } from './data-model.ts';
import { describeModel } from './describe-model.ts';
import type { Notice, SyncMode } from './pipeline.ts';
import { misfits } from './pipeline-fit.ts';
import type { SyncDeps } from './sync-deps.ts';

interface Joined {
  readonly connection: Connection;
  readonly dataModel: DataModel;
  readonly syncMode: SyncMode;
  readonly rowKey: readonly string[];
}

/**
 * What joining a model to a connection brings up: the provider's grammar and the warehouse itself look at the model, no row
 * is read. Answers warnings. A warehouse that cannot be asked now refuses nothing: it is asked again before each run.
 * Throws VALIDATION_FAILED that names the field.
 */
export async function checkPipeline(deps: SyncDeps, joined: Joined): Promise<readonly Notice[]> {
  const { connection, dataModel } = joined;
  // its fault is shown already, and a second wait for the same answer helps nobody
  if (connection.fault !== null) return [notDescribed(`the connection "${connection.id}" is faulted.`)];
  const described = await describeModel(deps, connection, dataModel.sqlQuery);
  if (described.outcome === 'unavailable') return [notDescribed(described.error.message)];
  if (described.outcome === 'invalid') throw refuse([invalid(joined, described.error.message)]);
  const issues = misfits(described.columns, joined);
  if (issues.length > 0) throw refuse(issues);
  return described.warnings.map((message) => ({ message }));
}

function invalid({ dataModel, connection }: Joined, message: string): Issue {
  return {
    path: 'data_model_id',
    message: `the data model "${dataModel.id}" does not work over the connection "${connection.id}": ${message}`,
  };
}

function notDescribed(why: string): Notice {
  return { message: `The model could not be checked when the pipeline was saved, it is before each run: ${why}` };
}
