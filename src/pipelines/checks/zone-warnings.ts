// Times of columns without a zone count as UTC where no zone is declared. A warning says so where the pipeline reads them as
// instants. Pure.
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import { countsMilliseconds } from '../transformations/column-fit.ts';
import type { ColumnNeeds } from './pipeline-fit.ts';

type Timed = Pick<ColumnNeeds, 'syncMode' | 'transformation'>;

/** Warns of an iterator, and of columns mapped to milliseconds since 1970, that are timestamps without a zone. */
export function zoneWarnings(columns: readonly Column[], { syncMode, transformation }: Timed): readonly Notice[] {
  const { iterator } = syncMode;
  if (iterator?.timeZone !== undefined) return [];
  const iterated = iterator === undefined ? undefined : zoneless(columns, iterator.field);
  const mapped = (transformation?.mappings ?? []).flatMap((mapping) => {
    if (mapping.type !== 'column' || !countsMilliseconds(mapping.destination.split('.'))) return [];
    return zoneless(columns, mapping.source) ?? [];
  });
  const names = new Set([...(iterated === undefined ? [] : [iterated]), ...mapped]);
  const cure =
    iterator === undefined
      ? 'Convert them in the model'
      : 'Set sync_mode.iterator_time_zone to the zone that they are written in ("UTC" where that is right), or convert them in the model';
  return Array.from(names, ({ name, nativeType }) => {
    const message = `The times of the column "${name}" (${nativeType}) have no time zone and count as UTC. ${cure}.`;
    return { message };
  });
}

function zoneless(columns: readonly Column[], name: string): Column | undefined {
  const column = findColumn(columns, name);
  return column?.type === 'timestamp' ? column : undefined;
}
