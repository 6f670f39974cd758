import type { InferSelectModel } from 'drizzle-orm';
import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { ResourceState } from '../connections/connection.ts';
import { type Audit, type Notice, noticesFromStore } from '../pipelines/pipeline.ts';
import type { dataModels } from '../tables.ts';
import type { LoadTimestamp } from './load-timestamp.ts';

export interface DataModel extends Audit {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
  readonly name: string;
  readonly state: ResourceState;
  /** As it was given, comments and semicolon included. */
  readonly sqlQuery: string;
  /** Pipelines may follow it; null: the model has none. */
  readonly loadTimestamp: LoadTimestamp | null;
  /** Why it is invalid; null: valid. */
  readonly fault: readonly Notice[] | null;
  /** What was noticed when it was saved: why reading it again may give other rows. */
  readonly warnings: readonly Notice[];
}

export function dataModelFromRow(row: InferSelectModel<typeof dataModels>): DataModel {
  return {
    ...row,
    workspaceId: workspaceId(row.workspaceId),
    state: row.state as ResourceState,
    loadTimestamp: row.loadTimestamp === null ? null : (JSON.parse(row.loadTimestamp) as LoadTimestamp),
    fault: noticesFromStore(row.fault),
    warnings: noticesFromStore(row.warnings) ?? [],
  };
}
