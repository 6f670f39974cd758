import { InvalidArgumentError } from 'commander';
import type { Role } from '../../access/index.ts';
import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import { readId } from '../arguments.ts';

/** What `--workspaces` names. `all` is a word of its own: the parser of options takes undefined for an empty text. */
export type WorkspaceChoice = 'all' | readonly WorkspaceId[];

export interface RightsOptions {
  readonly role: Role;
  readonly workspaces: WorkspaceChoice;
}

export function readRole(text: string): Role {
  if (text === 'admin' || text === 'read') return text;
  throw new InvalidArgumentError('it is admin or read.');
}

/** `all`, `none`, or ids with commas. */
export function readWorkspaces(text: string): WorkspaceChoice {
  if (text === 'all') return 'all';
  if (text === 'none') return [];
  return text.split(',').map((id) => workspaceId(readId('each workspace')(id.trim())));
}

/** As the rooms have it; undefined: every workspace of the account. */
export function workspaceIdsOf(choice: WorkspaceChoice): readonly WorkspaceId[] | undefined {
  return choice === 'all' ? undefined : choice;
}

/** Words with commas; the room knows which there are. */
export function readUses(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}
