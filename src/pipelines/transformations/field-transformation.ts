import type { InferSelectModel } from 'drizzle-orm';
import { type Json, parseJson, stringifyJson, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Audit } from '../pipelines/pipeline.ts';
import type { fieldTransformations } from '../tables.ts';

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

export function fieldTransformationFromRow(row: InferSelectModel<typeof fieldTransformations>): FieldTransformation {
  const { id, name, createdOn, createdBy, lastModifiedOn, lastModifiedBy } = row;
  return {
    workspaceId: workspaceId(row.workspaceId),
    id,
    name,
    mappings: mappingsFromStore(row.mappings),
    createdOn,
    createdBy,
    lastModifiedOn,
    lastModifiedBy,
  };
}

/** Returns mappings as JSON text, with every digit of a number. */
export function mappingsForStore(mappings: readonly FieldMapping[]): string {
  return stringifyJson(mappings);
}

function mappingsFromStore(text: string): readonly FieldMapping[] {
  return parseJson(text) as unknown as readonly FieldMapping[];
}
