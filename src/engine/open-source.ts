import { readSettings } from '../access/index.ts';
import { type Notice, zoneWarnings } from '../sync/index.ts';
import { type Column, type Session, type Statement, wrapModel } from '../warehouse/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { EngineDeps } from './engine-deps.ts';
import { type FixedRange, fixRange, shortRangeWarnings } from './fix-range.ts';
import { createMapping } from './mapping/create-mapping.ts';
import type { UnitMapping } from './mapping/unit-mapping.ts';
import { acceptedSql, iteratorOf, type ModelIterator, rowsToRead } from './model-source.ts';
import { nullWarnings } from './null-iterators.ts';
import { connectorOf } from './open-session.ts';
import { feedOf } from './require-active-feed.ts';
import type { Blame } from './settle-failure.ts';

/** Everything that reading, mapping and delivering of a run need, worked out once. */
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
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Told what would be to blame for the next failure. */
  readonly blame: (blame: Blame) => void;
}

/**
 * The gate, the columns, their roles, the range, the mapper: in this order, so that nothing is read before everything
 * fits. Throws SQL_REFUSED, MODEL_INVALID, and whatever the warehouse says about the model.
 */
export async function openSource(deps: EngineDeps, request: SourceRequest): Promise<RunSource> {
  const { claimed, session, signal, blame } = request;
  const { dialect } = connectorOf(deps, claimed.snapshot.connection);
  const { dataModel, pipeline } = claimed.snapshot;
  blame('data model');
  const sql = await acceptedSql(dataModel.sqlQuery, dialect);
  const columns = await session.describe({ sql, parameters: {} }, signal);
  blame('pipeline');
  const iterator = iteratorOf(claimed.snapshot, columns);
  blame('connection');
  const range = await fixRange(deps, { claimed, axis: iterator?.axis, session, signal });
  blame('data model');
  const warnings = [
    ...zoneWarnings(columns, { syncMode: pipeline.syncMode, transformation: claimed.snapshot.transformation }),
    ...(iterator === undefined ? [] : shortRangeWarnings(claimed, iterator.axis, range)),
    ...(range.kind === 'range' ? await nullWarnings(deps, request, { sql, dialect, iterator }) : []),
  ];
  // other pipelines of the model may well suit it: what does not fit is this one's transformation
  if (pipeline.pipelineType === 'events') blame('pipeline');
  const mapping = await compileMapping(deps, { claimed, columns, iterator });
  return {
    mapping,
    statement: wrapModel(rowsToRead({ sql, dialect, iterator }, range)),
    ...{ columns, iterator, range, warnings },
  };
}

/** How rows of these columns are mapped, without a warehouse: for rows that were kept. Throws MODEL_INVALID. */
export async function openMapping(
  deps: EngineDeps,
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

async function compileMapping(deps: EngineDeps, { claimed, columns, iterator }: Mapping): Promise<UnitMapping> {
  const settings = await readSettings(deps.store, claimed.workspaceId, deps.ceilings);
  const { pipeline, transformation, identity = settings.identity } = claimed.snapshot;
  const feed = await feedOf(deps.store, claimed.workspaceId, pipeline);
  return createMapping(deps, {
    ...{ columns, iterator, settings, workspaceId: claimed.workspaceId, runStart: claimed.startedAt },
    pipelineNumber: claimed.pipelineNumber,
    feedKey: feed?.key,
    ...{ pipeline, transformation, identity },
  });
}
