import { readSettings } from '../../access/index.ts';
import type { UnitMapping } from '../../mapping/index.ts';
import { createMapping } from '../../mapping/index.ts';
import { type Notice, zoneWarnings } from '../../pipelines/index.ts';
import { type Column, type Connector, type Session, type Statement, wrapModel } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { at } from '../lifecycle/fault-subject.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type FixedRange, fixRange, shortRangeWarnings } from './fix-range.ts';
import { acceptedSql, iteratorOf, type ModelIterator, rowsToRead } from './model-source.ts';
import { nullWarnings } from './null-iterators.ts';
import { feedOf } from './require-active-feed.ts';

/** Everything that reading, mapping and delivering a run need, prepared once. */
export interface RunSource {
  readonly statement: Statement;
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
  readonly mapping: UnitMapping;
  readonly range: FixedRange;
  readonly warnings: readonly Notice[];
}

export interface SourceRequest {
  readonly claimed: ClaimedRun;
  readonly connector: Connector;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/**
 * Prepares gate, columns, roles, range and mapper, in this order, so that nothing is read before everything fits. Throws
 * SQL_REFUSED, MODEL_INVALID, and the warehouse's errors about the model.
 */
export async function openSource(deps: RunsDeps, request: SourceRequest): Promise<RunSource> {
  const { claimed, session, signal } = request;
  const { dialect } = request.connector;
  const { dataModel, pipeline } = claimed.snapshot;
  const sql = await at('data model', () => acceptedSql(dataModel.sqlQuery, dialect));
  const columns = await at('data model', () => session.describe({ sql, parameters: {} }, signal));
  const iterator = await at('pipeline', () => iteratorOf(claimed.snapshot, columns));
  const range = await fixRange(deps, { claimed, axis: iterator?.axis, session, signal });
  const warnings = [
    ...zoneWarnings(columns, { syncMode: pipeline.syncMode, transformation: claimed.snapshot.transformation }),
    ...(iterator === undefined ? [] : shortRangeWarnings(claimed, iterator.axis, range)),
    ...(range.kind === 'range'
      ? await at('data model', () => nullWarnings(deps, request, { sql, dialect, iterator }))
      : []),
  ];
  // an events pipeline that does not fit has a wrong transformation; its model may suit other pipelines
  const unfit = pipeline.pipelineType === 'events' ? 'pipeline' : 'data model';
  const mapping = await at(unfit, () => compileMapping(deps, { claimed, columns, iterator }));
  return {
    mapping,
    statement: wrapModel(rowsToRead({ sql, dialect, iterator }, range)),
    columns,
    iterator,
    range,
    warnings,
  };
}

/** Returns the mapping of kept rows with these columns, without a warehouse. Throws MODEL_INVALID. */
export async function openMapping(
  deps: RunsDeps,
  claimed: ClaimedRun,
  columns: readonly Column[],
): Promise<UnitMapping> {
  return await compileMapping(deps, { claimed, columns, iterator: iteratorOf(claimed.snapshot, columns) });
}

interface Mapping {
  readonly claimed: ClaimedRun;
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
}

async function compileMapping(deps: RunsDeps, { claimed, columns, iterator }: Mapping): Promise<UnitMapping> {
  const settings = await readSettings(deps.store, claimed.workspaceId, deps.ceilings);
  const { pipeline, transformation, identity = settings.identity } = claimed.snapshot;
  const feed = await feedOf(deps.store, claimed.workspaceId, pipeline);
  return createMapping(deps, {
    columns,
    iterator,
    settings,
    workspaceId: claimed.workspaceId,
    runStart: claimed.startedAt,
    pipelineNumber: claimed.pipelineNumber,
    feedKey: feed?.key,
    pipeline,
    transformation,
    identity,
  });
}
