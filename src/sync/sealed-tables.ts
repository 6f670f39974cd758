import { workspaceId } from '../kernel/index.ts';
import type { SealedTable } from '../store/index.ts';
import type { ConnectionConfig, Fleet, Provider } from '../warehouse/index.ts';
import { sealedTexts } from './connection-config.ts';
import type { KeptFields } from './pipeline.ts';
import { feedKeyContext } from './read-feed.ts';

interface ConnectionSecrets {
  readonly workspace_id: bigint;
  readonly id: string;
  readonly provider: string;
  readonly config: string;
}

const ofConnections = (fleet: Fleet): SealedTable<ConnectionSecrets> => ({
  table: 'connections',
  key: ['workspace_id', 'id'],
  columns: ['config'],
  besides: ['provider'],
  sealedTexts: ({ workspace_id: workspace, id, provider, config }) =>
    sealedTexts(fleet, {
      ...{ workspaceId: workspaceId(workspace), id, provider: provider as Provider },
      config: JSON.parse(config) as ConnectionConfig,
    }),
});

interface PipelineSecrets {
  readonly workspace_id: bigint;
  readonly number: bigint;
  readonly id: string;
  readonly kept: string;
}

/** A deleted pipeline keeps its row, and its feed's key with it. */
const ofPipelines: SealedTable<PipelineSecrets> = {
  table: 'pipelines',
  key: ['workspace_id', 'number'],
  columns: ['kept'],
  besides: ['id'],
  sealedTexts({ workspace_id: workspace, id, kept }) {
    const { partnerFeedKey: text } = JSON.parse(kept) as KeptFields;
    return text === undefined ? [] : [{ text, context: feedKeyContext(workspaceId(workspace), id) }];
  },
};

/** What this room keeps encrypted. */
export const syncSecrets = (fleet: Fleet): readonly SealedTable[] => [ofConnections(fleet), ofPipelines];
