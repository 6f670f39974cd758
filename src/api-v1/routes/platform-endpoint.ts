import { Type } from 'typebox';
import { pathParams } from '../../pipelines/index.ts';

export const BASE = '/platform/v1/workspaces/:workspaceId/inputs/warehouse';

/** The properties that all endpoints of warehouse sync v1 share (D-019). */
export const READS = { api: 'platform_v1', credential: 'platform_read', requires: 'warehouse_sync' } as const;
export const CHANGES = { api: 'platform_v1', credential: 'platform_admin', requires: 'warehouse_sync' } as const;

export const pipelineParams = pathParams({ pipelineId: Type.String() });

export const UNREACHABLE = 'The warehouse cannot be reached with this connection; nothing was saved.';
