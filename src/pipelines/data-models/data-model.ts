import type { WorkspaceId } from '../../kernel/index.ts';
import type { ResourceState } from '../connections/connection.ts';
import type { Audit, Notice } from '../pipelines/pipeline.ts';
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
