import { Type } from 'typebox';
import { pathParams } from '../../pipelines/index.ts';

export const BASE = '/platform/v1/workspaces/:workspaceId/inputs/warehouse';

/** What every endpoint of warehouse sync v1 shares (002, Endpoints and Authentication). */
export const READS = { api: 'platform_v1', credential: 'platform_read', requires: 'warehouse_sync' } as const;
export const CHANGES = { api: 'platform_v1', credential: 'platform_admin', requires: 'warehouse_sync' } as const;

export const pipelineParams = pathParams({ pipelineId: Type.String() });

export const UNREACHABLE = 'The warehouse cannot be reached with what the connection says; nothing was saved.';
