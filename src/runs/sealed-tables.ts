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
 * Waits until claims have committed the copied secrets of their connections. After it has held the lock of every workspace,
 * later claims copy the connections' current secrets.
 */
async function settleClaims(store: Pick<Store, 'query' | 'transaction'>): Promise<void> {
  const workspaces = await store.query<{ readonly id: bigint }>(
    '/* across workspaces: those whose runs have a connection */ SELECT DISTINCT workspace_id AS id FROM connections',
  );
  for (const { id } of workspaces) await store.transaction((tx) => lockClaims(tx, workspaceId(id)));
}

/** Returns the encrypted data of this room. They are copies of connections' secrets, so they are re-encrypted after those. */
export const runsSecrets = (fleet: Fleet): readonly SealedTable[] => [ofRuns(fleet)];
