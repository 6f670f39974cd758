import { and, eq } from 'drizzle-orm';
import { readSettings, type WorkspaceSettings } from '../../access/index.ts';
import { formatMicros, type Micros, msOfMicros, parseJson, stringifyJson } from '../../kernel/index.ts';
import {
  type Connection,
  type DataModel,
  type DataPlan,
  type FieldTransformation,
  type LastChanges,
  lastChanges,
  loadPipelines,
  type Pipeline,
  type PipelineContext,
  pipelineErrors,
  pipelineRuns,
  pipelineStatus,
  type RanOnPart,
  type Run,
} from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { dropFormerGenerations } from '../ledger/close-ledger.ts';
import type { RunsDeps } from '../runs-deps.ts';

/**
 * The definitions that a run works on: taken at its first start and kept over its attempts (D-089). Secrets stay
 * encrypted.
 */
export interface RunSnapshot {
  readonly pipeline: Pick<Pipeline, 'id' | 'pipelineType' | 'environment' | 'syncMode' | 'schedule' | 'generation'> & {
    /** Position as text with microseconds. */
    readonly position: string | null;
    /** Earliest instant to which a lookback reaches, as text with microseconds. */
    readonly ledgerFrom: string | null;
    /** Columns that identify a row when it is read again. Absent: all columns. */
    readonly rowKey?: readonly string[];
    /** The data plan, which each batch carries as `context.data_plan`. */
    readonly dataPlan?: DataPlan;
    /** Id of the feed that has to be active. */
    readonly partnerFeedId?: string;
  };
  readonly connection: Pick<Connection, 'id' | 'provider' | 'config'>;
  readonly dataModel: Pick<DataModel, 'id' | 'sqlQuery'>;
  /** Transformation of an events pipeline; null for other types. */
  readonly transformation: Pick<FieldTransformation, 'id' | 'mappings'> | null;
  /**
   * Settings of identity resolution. They are fixed for the run, because two strategies in one run would resolve the same
   * person differently. Absent in a run that an earlier Penstock began: there each attempt uses the workspace's settings.
   */
  readonly identity?: WorkspaceSettings['identity'];
  /** Times of the last change of each part. Absent in a run that an earlier Penstock began. */
  readonly changedMs?: LastChanges;
}

/**
 * Returns whether the part was changed since the run took its snapshot. Compares two times of one row, so differing clocks of
 * daemons do not matter.
 */
export function isChangedSince(
  { changedMs }: RunSnapshot,
  part: RanOnPart,
  { changes, startedAt }: { readonly changes: LastChanges; readonly startedAt: Micros },
): boolean {
  return changedMs === undefined ? changes[part] > msOfMicros(startedAt) : changes[part] !== changedMs[part];
}

/** Returns the names of the parts that a run works on, besides its pipeline. */
export function usedBy({ connection, dataModel, transformation }: RunSnapshot) {
  return { connectionId: connection.id, dataModelId: dataModel.id, transformationId: transformation?.id ?? null };
}

/** Returns the snapshot as JSON text for the run's row. */
export function snapshotText(
  { pipeline, connection, dataModel, transformation }: PipelineContext,
  { identity }: WorkspaceSettings,
): string {
  const { id, pipelineType, environment, syncMode, schedule, generation } = pipeline;
  const { rowKey, dataPlan, partnerFeedId } = pipeline.kept;
  const position = pipeline.position === null ? null : formatMicros(pipeline.position);
  const ledgerFrom = pipeline.ledgerFrom === null ? null : formatMicros(pipeline.ledgerFrom);
  const snapshot: RunSnapshot = {
    pipeline: {
      id,
      pipelineType,
      environment,
      syncMode,
      schedule,
      generation,
      position,
      ledgerFrom,
      ...(rowKey !== undefined && { rowKey }),
      ...(dataPlan !== undefined && { dataPlan }),
      ...(partnerFeedId !== undefined && { partnerFeedId }),
    },
    connection: { id: connection.id, provider: connection.provider, config: connection.config },
    dataModel: { id: dataModel.id, sqlQuery: dataModel.sqlQuery },
    transformation: transformation === null ? null : { id: transformation.id, mappings: transformation.mappings },
    identity,
    changedMs: lastChanges({ pipeline, connection, dataModel, transformation }),
  };
  return stringifyJson(snapshot);
}

/** Returns the snapshot with every digit of a transformation's numbers. */
export function snapshotFromText(text: string): RunSnapshot {
  const snapshot: unknown = parseJson(text);
  return snapshot as RunSnapshot;
}

/**
 * Takes and stores the snapshot of a run that begins. Returns undefined where the pipeline may not run any more.
 * A trigger of a faulted pipeline tries whether it works again, so only runs that nobody requested have to wait.
 */
export async function takeSnapshot(
  tx: Transaction,
  { ceilings }: Pick<RunsDeps, 'ceilings'>,
  run: Run,
): Promise<RunSnapshot | undefined> {
  const { workspaceId, pipelineNumber } = run;
  const [context] = await loadPipelines(tx, { workspaceId, number: pipelineNumber });
  if (context === undefined || !mayStart(context, run)) return undefined;
  await dropFormerGenerations(tx, { workspaceId, pipelineNumber, generation: context.pipeline.generation });
  const snapshot = snapshotText(context, await readSettings(tx, workspaceId, ceilings));
  await tx.orm
    .update(pipelineRuns)
    .set({ snapshot })
    .where(and(eq(pipelineRuns.workspaceId, workspaceId), eq(pipelineRuns.id, run.id)));
  return snapshotFromText(snapshot);
}

function mayStart(context: PipelineContext, { type, requestedBy }: Run): boolean {
  if (pipelineStatus(context, false) === 'stopped') return false;
  return type === 'manual' || requestedBy !== null || pipelineErrors(context).length === 0;
}

interface SnapshotOfRun {
  readonly pipelineNumber: bigint;
  /** The run's snapshot. Undefined: the run has not begun, or was requeued from the start. */
  readonly snapshot: RunSnapshot | undefined;
}

/** Returns the definitions that a run works on. Returns undefined when retention has removed the run. */
export async function loadSnapshot(
  tx: Transaction,
  { workspaceId, id }: Pick<Run, 'workspaceId' | 'id'>,
): Promise<SnapshotOfRun | undefined> {
  const [run] = await tx.query<{ readonly pipelineNumber: bigint; readonly snapshot: string | null }>(
    'SELECT pipeline_number AS "pipelineNumber", snapshot FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  );
  if (run === undefined) return undefined;
  return { ...run, snapshot: run.snapshot === null ? undefined : snapshotFromText(run.snapshot) };
}
