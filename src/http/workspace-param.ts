import { Type } from 'typebox';

/** The `workspaceId` of a path, which the credential check reads. Text, because no id is wrong here: it is only not found. */
export const WorkspaceParam = Type.String({
  description: 'Id of the workspace; `penstock workspace list` shows it.',
  examples: ['1'],
});
