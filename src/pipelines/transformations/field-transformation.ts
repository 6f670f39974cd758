import type { Json, WorkspaceId } from '../../kernel/index.ts';
import type { Audit } from '../pipelines/pipeline.ts';

/**
 * One line of a transformation (D-102). `destination` is a dotted path into the batch, `source` a column of the model, found by
 * `findColumn`. `ignore` declares that a column is left out on purpose.
 */
export type FieldMapping =
  | { readonly type: 'column'; readonly source: string; readonly destination: string }
  | { readonly type: 'static'; readonly value: Json; readonly destination: string }
  | { readonly type: 'ignore'; readonly source: string };

/** Mappings that turn the rows of a model into events. */
export interface FieldTransformation extends Audit {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
  readonly name: string;
  readonly mappings: readonly FieldMapping[];
}

/** Returns the event kind of every row, where it is static. Returns undefined where each row has its own. */
export function eventTypeOf(mappings: readonly FieldMapping[]): string | undefined {
  for (const mapping of mappings) {
    if (mapping.type !== 'static' || mapping.destination !== 'events.event_type') continue;
    if (typeof mapping.value === 'string') return mapping.value;
  }
  return undefined;
}
