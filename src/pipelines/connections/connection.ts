import type { Provider } from '../../../connectors/facts.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { ConnectionConfig } from '../../warehouse/index.ts';
import type { Audit, Notice } from '../pipelines/pipeline.ts';

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
