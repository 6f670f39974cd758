import { Type } from 'typebox';

/**
 * The `workspaceId` of a path, which the credential check reads.
 * The type is text, because no id is malformed: an unknown one is just not found.
 */
export const WorkspaceParam = Type.String({
  description: 'Id of the workspace; `penstock workspace list` shows it.',
  examples: ['1'],
});
