import { InvalidArgumentError } from 'commander';
import type { Role } from '../../access/index.ts';
import { type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import { readId } from '../arguments.ts';

export interface RightsOptions {
  readonly role: Role;
  /** Undefined: every workspace of the account. */
  readonly workspaces: readonly WorkspaceId[] | undefined;
}

export function readRole(text: string): Role {
  if (text === 'admin' || text === 'read') return text;
  throw new InvalidArgumentError('it is admin or read.');
}

/** `all`, `none`, or ids with commas. */
export function readWorkspaces(text: string): readonly WorkspaceId[] | undefined {
  if (text === 'all') return undefined;
  if (text === 'none') return [];
  return text.split(',').map((id) => workspaceId(readId('each workspace')(id.trim())));
}
