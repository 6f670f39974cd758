import { workspaceId } from '../kernel/index.ts';
import { sealedTexts } from '../pipelines/index.ts';
import type { SealedTable, Store } from '../store/index.ts';
import type { Fleet } from '../warehouse/index.ts';
import { lockClaims } from './lifecycle/claim-lock.ts';
import { snapshotFromText } from './lifecycle/run-snapshot.ts';

interface RunSecrets {
  readonly workspace_id: bigint;
  readonly id: bigint;
  readonly snapshot: string;
}

const ofRuns = (fleet: Fleet): SealedTable<RunSecrets> => ({
  table: 'pipeline_runs',
  key: ['workspace_id', 'id'],
  columns: ['snapshot'],
  sealedTexts: ({ workspace_id: workspace, snapshot }) =>
    sealedTexts(fleet, { workspaceId: workspaceId(workspace), ...snapshotFromText(snapshot).connection }),
  settle: settleClaims,
});

/**
 * A claim copies the secrets of its connection as they were when it read them. Once the lock of every workspace was had, those
 * copies are committed, and later ones are of what the connections hold by now.
 */
async function settleClaims(store: Pick<Store, 'query' | 'transaction'>): Promise<void> {
  const workspaces = await store.query<{ readonly id: bigint }>(
    '/* across workspaces: those whose runs have a connection */ SELECT DISTINCT workspace_id AS id FROM connections',
  );
  for (const { id } of workspaces) await store.transaction((tx) => lockClaims(tx, workspaceId(id)));
}

/** What this room keeps encrypted: copies of what connections hold, so it comes after them. */
export const runsSecrets = (fleet: Fleet): readonly SealedTable[] => [ofRuns(fleet)];
