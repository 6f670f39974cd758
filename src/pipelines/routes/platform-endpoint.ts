import { type TProperties, Type } from 'typebox';
import { WorkspaceParam } from '../../http/index.ts';

export const BASE = '/platform/v2/workspaces/:workspaceId';

/** The properties that all endpoints of warehouse sync v2 share (D-019). */
export const READS = { api: 'platform_v2', credential: 'platform_read', requires: 'warehouse_sync' } as const;
export const CHANGES = { api: 'platform_v2', credential: 'platform_admin', requires: 'warehouse_sync' } as const;

/** Returns the schema of path parameters beside the workspace. An id that is no slug is not found, like any other. */
export function pathParams<Properties extends TProperties>(properties: Properties) {
  return Type.Object({ workspaceId: WorkspaceParam, ...properties });
}

export const workspaceParams = pathParams({});

/** Meaning of the status 429 of calls that ask a warehouse. */
export const TRIALS_LIMITED =
  'Too many previews, dry runs, validations and connection tests wait or were started; Retry-After gives the seconds to wait.';

export const NoContent = Type.Null({ description: 'Empty body.' });
