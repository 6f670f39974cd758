import { type BatchSource, type Destination, findDestination } from '../../events/index.ts';
import { AppError, type Json } from '../../kernel/index.ts';
import { type DataPlan, type FieldMapping, transformationMisfits } from '../../pipelines/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { RowTimePlan } from '../range/row-time.ts';
import type { Zone } from '../range/wall-clock.ts';
import type { Placed, Source } from './place-tree.ts';

/** Limits of a batch, as set by the workspace (D-031). */
export interface EventLimits {
  readonly nameChars: number;
  readonly valueChars: number;
  readonly batchBytes: number;
  readonly attributesPerEvent: number;
  readonly userAttributesPerBatch: number;
}

/** Everything that determines how rows of a run become events. */
export interface EventsPlan extends RowTimePlan {
  /** Origin of each batch, stored beside it in the log. */
  readonly source: BatchSource;
  readonly mappings: readonly FieldMapping[];
  readonly environment: 'production' | 'development';
  readonly dataPlan: DataPlan | undefined;
  readonly limits: EventLimits;
  /** Time zone of columns without a zone. */
  readonly zone: Zone;
}

/** The mappings of a run, sorted by the part of the batch that they fill. */
export interface PlacedMappings {
  readonly eventType: Source;
  readonly batch: readonly Placed[];
  /** Destinations as given. Their meaning depends on the event type. */
  readonly data: readonly { readonly source: Source; readonly path: string }[];
}

const EVENT_TYPE = 'events.event_type';

/**
 * Sorts the mappings and adds defaults that no mapping sets: environment, source and data plan of each batch.
 * Throws MODEL_INVALID, with every complaint, when columns and mappings do not match.
 */
export function placeMappings(plan: EventsPlan): PlacedMappings {
  checkFit(plan);
  const sources = plan.mappings.flatMap((mapping) => {
    if (mapping.type === 'ignore') return [];
    return [{ path: mapping.destination, source: sourceOf(plan.columns, mapping) }];
  });
  const eventType = sources.find(({ path }) => path === EVENT_TYPE)?.source;
  if (eventType === undefined) throw invalid(`No mapping has the destination ${EVENT_TYPE}.`);
  const batch = sources.filter(({ path }) => !path.startsWith('events.'));
  return {
    eventType,
    batch: [...batch, ...defaultsFor(plan, batch)].map(({ path, source }) => ({
      source,
      destination: batchPlace(plan, path),
    })),
    data: sources.filter(({ path }) => path.startsWith('events.') && path !== EVENT_TYPE),
  };
}

function sourceOf(columns: readonly Column[], mapping: Exclude<FieldMapping, { readonly type: 'ignore' }>): Source {
  if (mapping.type === 'static') return { kind: 'static', value: mapping.value };
  const column = findColumn(columns, mapping.source);
  if (column === undefined) throw invalid(`The model has no column "${mapping.source}".`);
  return { kind: 'column', column, position: columns.indexOf(column) };
}

/** Throws MODEL_INVALID where mappings and model do not match. Either may have changed since they were checked together. */
function checkFit({ columns, mappings }: EventsPlan): void {
  const used = mappings.filter(({ type }) => type !== 'ignore');
  const complaints = transformationMisfits(columns, used).map(({ message }) => message);
  if (complaints.length === 0) return;
  throw invalid(`The field transformation does not fit the model: ${complaints.join('; ')}.`);
}

/** Returns the values that every batch of the pipeline has where no mapping sets others. */
function defaultsFor({ environment, dataPlan }: EventsPlan, mapped: readonly { readonly path: string }[]) {
  const isMapped = (path: string) => mapped.some((each) => each.path === path || each.path.startsWith(`${path}.`));
  const values: (readonly [string, Json])[] = [];
  if (!isMapped('environment')) values.push(['environment', environment]);
  if (!isMapped('source_info.channel')) values.push(['source_info.channel', 'server_to_server']);
  if (dataPlan !== undefined && !isMapped('context.data_plan')) {
    values.push(['context.data_plan.plan_id', dataPlan.id]);
    if (dataPlan.version !== undefined) values.push(['context.data_plan.plan_version', BigInt(dataPlan.version)]);
  }
  return values.map(([path, value]) => ({ path, source: { kind: 'static', value } as const }));
}

/**
 * Returns the place of a batch-level path. Throws MODEL_INVALID where there is none.
 * People of a pipeline belong to its environment, so the environment of its batches is fixed.
 */
function batchPlace({ environment }: EventsPlan, path: string): Destination {
  const destination = findDestination(path, undefined);
  if ('problem' in destination) throw invalid(`The destination ${path} ${destination.problem}.`);
  if (path !== 'environment') return destination;
  return { ...destination, leaf: { ...destination.leaf, allowed: [environment] } };
}

/** Returns the error of columns that do not fit. Its subject is the pipeline: the model may suit other transformations. */
export function invalid(message: string): AppError {
  return new AppError('MODEL_INVALID', message, { subject: 'pipeline' });
}
