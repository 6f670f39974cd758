import type { WorkspaceSettings } from '../../access/index.ts';

/** The bounds of a batch, settings of its workspace (D-031). */
export type BatchLimits = Pick<
  WorkspaceSettings['limits'],
  'batchBytes' | 'attributesPerEvent' | 'userAttributesPerBatch' | 'nameCharacters' | 'valueCharacters'
>;
