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
  /** SQL as the caller sent it, comments and semicolon included. */
  readonly sqlQuery: string;
  /** Load timestamp that pipelines may follow. Null: the model has none. */
  readonly loadTimestamp: LoadTimestamp | null;
  /** Reasons why it is invalid. Null: valid. */
  readonly fault: readonly Notice[] | null;
  /** Warnings from saving it: reasons why reading it again may give other rows. */
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
