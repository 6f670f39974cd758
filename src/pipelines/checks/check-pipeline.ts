import { type Issue, refuse, say, type Worded } from '../../kernel/index.ts';
import type { Dialect } from '../../warehouse/index.ts';
import type { Connection } from '../connections/connection.ts';
import type { DataModel } from '../data-models/data-model.ts';
import { type Described, describeForPipeline } from '../data-models/describe-model.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { unmappedColumns } from '../transformations/transformation-fit.ts';
import { nestedWarnings } from './nested-warnings.ts';
import { type ColumnNeeds, pipelineMisfits } from './pipeline-fit.ts';
import { type WriteBackCandidate, writeBackMisfits } from './write-back-fit.ts';
import { zoneWarnings } from './zone-warnings.ts';

interface Joined extends ColumnNeeds, Omit<WriteBackCandidate, 'connection' | 'dataModel'> {
  readonly connection: Connection;
  readonly dataModel: DataModel;
}

/**
 * Checks a model joined to a connection and a transformation: by the provider's grammar and by the warehouse itself; no row is
 * read. Returns warnings. Throws VALIDATION_FAILED that names the field.
 * A warehouse that does not answer now refuses nothing, because each run asks it again.
 */
export async function checkPipeline(deps: PipelinesDeps, joined: Joined): Promise<readonly Notice[]> {
  const { connection, dataModel } = joined;
  const described = await describeForPipeline(deps, connection, {
    sqlQuery: dataModel.sqlQuery,
    iterator: joined.syncMode.iterator?.field,
  });
  const columns = described.outcome === 'described' ? described.columns : undefined;
  const issues = [
    ...(await writeBackMisfits(deps, joined, columns)),
    ...(columns === undefined ? [] : pipelineMisfits(columns, joined)),
    ...(described.outcome === 'invalid' ? [invalid(joined, described.error)] : []),
  ];
  if (issues.length > 0) throw refuse(issues);
  return joinedWarnings(joined, described, deps.fleet[connection.provider]?.dialect);
}

/** Returns a pipeline's warnings from the description of its model. Pure. */
export function joinedWarnings(asked: ColumnNeeds, described: Described, dialect?: Dialect): readonly Notice[] {
  if (described.outcome === 'invalid') return [notDescribed(described.error.message)];
  const ofText = described.warnings.map((message) => ({ message }));
  if (described.outcome === 'unavailable') return [...ofText, notDescribed(described.error.message)];
  const { columns } = described;
  return [
    ...ofText,
    ...unmappedColumns(columns, asked),
    ...zoneWarnings(columns, asked),
    ...(dialect === undefined ? [] : nestedWarnings(columns, asked, dialect)),
  ];
}

function invalid({ dataModel, connection }: Joined, why: Worded): Issue {
  return {
    path: 'data_model_id',
    ...say`the data model "${dataModel.id}" does not work over the connection "${connection.id}": ${why}`,
  };
}

function notDescribed(why: string): Notice {
  return {
    message: `The model could not be checked when the pipeline was saved; it is checked before each run: ${why}`,
  };
}
