import type { UnitMapping } from '../../mapping/index.ts';
import { type Notice, nestedWarnings, zoneWarnings } from '../../pipelines/index.ts';
import { type Column, type Statement, wrapModel } from '../../warehouse/index.ts';
import { at } from '../lifecycle/fault-subject.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConnectedExecution } from './execution.ts';
import { type FixedRange, fixRange } from './fix-range.ts';
import { acceptedSql, iteratorOf, type ModelIterator, rowsToRead } from './model-source.ts';
import { nullWarnings } from './null-iterators.ts';
import { openMapping } from './open-mapping.ts';

/** Everything that reading, mapping and delivering a run need, prepared once. */
export interface RunSource {
  readonly statement: Statement;
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
  readonly mapping: UnitMapping;
  readonly range: FixedRange;
  readonly warnings: readonly Notice[];
}

/**
 * Prepares gate, columns, roles, range and mapper, in this order, so that nothing is read before everything fits. Throws
 * SQL_REFUSED, MODEL_INVALID, and the warehouse's errors about the model.
 */
export async function openSource(deps: RunsDeps, execution: ConnectedExecution): Promise<RunSource> {
  const { claimed, session, signal, connector } = execution;
  const { dialect } = connector;
  const { dataModel, pipeline, transformation } = claimed.snapshot;
  const sql = await acceptedSql(dataModel.sqlQuery, dialect);
  const wanted = { sql, parameters: {}, iterator: pipeline.syncMode.iterator?.field };
  const columns = await session.describe(wanted, signal);
  const iterator = await at('pipeline', () => iteratorOf(claimed.snapshot, columns));
  const model = { sql, dialect, iterator };
  const { range, warnings } = await fixRange(deps, execution, iterator?.axis);
  return {
    columns,
    iterator,
    range,
    statement: wrapModel(rowsToRead(model, range)),
    warnings: [
      ...zoneWarnings(columns, { syncMode: pipeline.syncMode, transformation }),
      ...(pipeline.pipelineType === 'user_attributes'
        ? nestedWarnings(columns, { transformation: null }, dialect)
        : []),
      ...warnings,
      ...(range.kind === 'range' ? await nullWarnings(deps, execution, model) : []),
    ],
    mapping: openMapping(deps, execution, columns),
  };
}
