import type { InferSelectModel } from 'drizzle-orm';
import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { ConnectionConfig, Provider } from '../../warehouse/index.ts';
import { type Audit, type Notice, noticesFromStore } from '../pipelines/pipeline.ts';
import type { connections } from '../tables.ts';

export type ResourceState = 'new' | 'active' | 'inactive';

export interface Connection extends Audit {
  readonly workspaceId: WorkspaceId;
  readonly id: string;
  readonly name: string;
  readonly state: ResourceState;
  readonly provider: Provider;
  /** Configuration with encrypted secret fields, which `revealConfig` decrypts. */
  readonly config: ConnectionConfig;
  /** Reasons of the fault. Null: healthy. */
  readonly fault: readonly Notice[] | null;
}

export function connectionFromRow(row: InferSelectModel<typeof connections>): Connection {
  return {
    ...row,
    workspaceId: workspaceId(row.workspaceId),
    state: row.state as ResourceState,
    provider: row.provider as Provider,
    config: JSON.parse(row.config) as ConnectionConfig,
    fault: noticesFromStore(row.fault),
  };
}
