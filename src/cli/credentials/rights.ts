import { InvalidArgumentError } from 'commander';
import type { Role } from '../../access/index.ts';
import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import { readId } from '../arguments.ts';

/** Workspaces that `--workspaces` names. `all` is a word of its own: the option parser takes undefined for an empty text. */
export type WorkspaceChoice = 'all' | readonly WorkspaceId[];

export interface RightsOptions {
  readonly role: Role;
  readonly workspaces: WorkspaceChoice;
}

export function readRole(text: string): Role {
  if (text === 'admin' || text === 'read') return text;
  throw new InvalidArgumentError('must be admin or read.');
}

/** Parses `all`, `none`, or ids separated by commas. */
export function readWorkspaces(text: string): WorkspaceChoice {
  if (text === 'all') return 'all';
  if (text === 'none') return [];
  return text.split(',').map((id) => workspaceId(readId('each workspace')(id.trim())));
}

/** Returns the ids in the form that the rooms take; undefined stands for every workspace of the account. */
export function workspaceIdsOf(choice: WorkspaceChoice): readonly WorkspaceId[] | undefined {
  return choice === 'all' ? undefined : choice;
}

/** Parses words separated by commas; the room knows which words are valid. */
export function readUses(text: string): readonly string[] {
  return text.split(',').map((word) => word.trim());
}
