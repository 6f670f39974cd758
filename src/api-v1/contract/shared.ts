import { type TProperties, Type } from 'typebox';
import { Int64 } from '../../http/index.ts';
import { auditProperties, Slug } from '../../pipelines/index.ts';

/**
 * Read-only fields of every resource: ignored in bodies, so that the answer of a GET can be sent back with PUT (D-006).
 */
export const READ_ONLY_FIELDS = ['workspace_id', 'is_faulted', 'faulted_reason', ...Object.keys(auditProperties)];

export const workspaceProperty = { workspace_id: Int64() };

/** Adds an optional id to the properties of a PUT body. It may repeat the id of the path, and must not name another. */
export function optionalId<Properties extends TProperties>(properties: Properties) {
  return { id: Type.Optional(Slug), ...properties };
}
