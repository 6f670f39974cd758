import type { Provider } from '../../connectors/facts.ts';
import { workspaceId } from '../kernel/index.ts';
import type { SealedTable } from '../store/index.ts';
import type { ConnectionConfig, Fleet } from '../warehouse/index.ts';
import { sealedTexts } from './connections/connection-config.ts';
import type { KeptFields } from './pipelines/pipeline.ts';
import { feedKeyContext } from './pipelines/read-feed.ts';

interface ConnectionSecrets {
  readonly workspace_id: bigint;
  readonly id: string;
  readonly provider: Provider;
  readonly config: string;
}

const ofConnections = (fleet: Fleet): SealedTable<ConnectionSecrets> => ({
  table: 'connections',
  key: ['workspace_id', 'id'],
  columns: ['config'],
  besides: ['provider'],
  sealedTexts: ({ workspace_id: workspace, id, provider, config }) =>
    sealedTexts(fleet, {
      workspaceId: workspaceId(workspace),
      id,
      provider,
      config: JSON.parse(config) as ConnectionConfig,
    }),
});

interface PipelineSecrets {
  readonly workspace_id: bigint;
  readonly number: bigint;
  readonly id: string;
  readonly kept: string;
  readonly deleted_on: Date | null;
}

/** Secrets of pipelines. A deleted pipeline keeps its row, and in it the key of its feed, which is never read again. */
const ofPipelines: SealedTable<PipelineSecrets> = {
  table: 'pipelines',
  key: ['workspace_id', 'number'],
  columns: ['kept'],
  besides: ['id', 'deleted_on'],
  sealedTexts({ workspace_id: workspace, id, kept, deleted_on: deletedOn }) {
    const { partnerFeedKey: text } = JSON.parse(kept) as KeptFields;
    const context = feedKeyContext(workspaceId(workspace), id);
    return text === undefined ? [] : [{ text, context, isSpent: deletedOn !== null }];
  },
};

/** Returns the encrypted data of this room. */
export const pipelinesSecrets = (fleet: Fleet): readonly SealedTable[] => [ofConnections(fleet), ofPipelines];
