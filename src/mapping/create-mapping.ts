import type { WorkspaceSettings } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identities } from '../identity/index.ts';
import { policyOf, type ResolutionScope } from '../identity/index.ts';
import type { Clock } from '../kernel/index.ts';
import { AppError, type Micros, type WorkspaceId } from '../kernel/index.ts';
import type { DataPlan, FieldTransformation, Pipeline } from '../pipelines/index.ts';
import type { Column } from '../warehouse/index.ts';
import { createEventsMapping } from './events/events-mapping.ts';
import { assignRoles } from './people/column-roles.ts';
import { compileMapper } from './people/compile-mapper.ts';
import { createPeopleMapping } from './people/people-mapping.ts';
import type { RowTimePlan } from './range/row-time.ts';
import { createZone } from './range/wall-clock.ts';
import type { UnitMapping } from './unit-mapping.ts';

export interface MappingPlan {
  readonly pipeline: Pick<Pipeline, 'pipelineType' | 'environment' | 'syncMode'> & {
    /** The data plan, which each batch carries as `context.data_plan`. */
    readonly dataPlan?: DataPlan;
  };
  /** Transformation of an events pipeline; null for other types. */
  readonly transformation: Pick<FieldTransformation, 'mappings'> | null;
  readonly workspaceId: WorkspaceId;
  readonly pipelineNumber: bigint;
  /** Key of the feed that the pipeline names; stored with each batch. */
  readonly feedKey?: string | undefined;
  readonly settings: Pick<WorkspaceSettings, 'identity' | 'limits'>;
  readonly columns: readonly Column[];
  readonly iterator: RowTimePlan['iterator'];
  readonly runStart: Micros;
}

interface MappingDeps {
  readonly identities: Identities;
  readonly events: Events;
  readonly clock: Clock;
}

/**
 * Creates the mapping of a pipeline of either type. Throws MODEL_INVALID, with every complaint, when the columns do not suit
 * it.
 */
export function createMapping(deps: MappingDeps, plan: MappingPlan): UnitMapping {
  return plan.pipeline.pipelineType === 'events' ? mapEvents(deps, plan) : mapPeople(deps, plan);
}

function mapPeople({ identities, clock }: MappingDeps, plan: MappingPlan): UnitMapping {
  const { columns, iterator, settings, runStart } = plan;
  const limits = { nameChars: settings.limits.nameCharacters, valueChars: settings.limits.valueCharacters };
  const roles = assignRoles(columns, iterator?.column, limits);
  const mapRow = compileMapper({ columns, roles, limits, iterator, runStart, nowMs: () => clock.nowMs() });
  // an iterator's cell does not belong to the person
  const mark = iterator === undefined ? JSON.stringify({ columns, limits }) : undefined;
  return createPeopleMapping({ identities, scope: scopeOf(plan), columns, roles, mapRow, mark });
}

function mapEvents({ events, clock }: MappingDeps, plan: MappingPlan): UnitMapping {
  const { columns, iterator, pipeline, pipelineNumber, feedKey, transformation, runStart } = plan;
  if (transformation === null) throw new AppError('INTERNAL', 'An events pipeline has no field transformation.');
  const { nameCharacters, valueCharacters, batchBytes, ...limits } = plan.settings.limits;
  return createEventsMapping({
    events,
    scope: scopeOf(plan),
    columns,
    iterator,
    runStart,
    nowMs: () => clock.nowMs(),
    source: { kind: 'pipeline', number: pipelineNumber, ...(feedKey !== undefined && { feedKey }) },
    mappings: transformation.mappings,
    environment: pipeline.environment,
    dataPlan: pipeline.dataPlan,
    limits: { nameChars: nameCharacters, valueChars: valueCharacters, batchBytes, ...limits },
    zone: createZone(pipeline.syncMode.iterator?.timeZone ?? 'UTC'),
  });
}

function scopeOf({ workspaceId, pipeline, settings }: MappingPlan): ResolutionScope {
  const { environment, syncMode } = pipeline;
  return { workspaceId, environment, mode: syncMode.type, policy: policyOf(settings) };
}
