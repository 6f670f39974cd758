import type { Static } from 'typebox';
import { type Issue, refuse } from '../../kernel/index.ts';
import type { ConnectionBody as BodyOfTwo, Connection } from '../../pipelines/index.ts';
import { auditAnswer, maskConfig, secretFieldsOf } from '../../pipelines/index.ts';
import type { ConnectionConfig, Fleet, VersionOneFacts } from '../../warehouse/index.ts';
import { CONFIG_NAMES, type ConnectionAnswer, type ConnectionBody } from '../contract/connection.ts';
import type { FieldNames } from '../render-errors.ts';
import { providerOfType, requireWarehouse } from '../warehouses.ts';

type Body = Static<typeof ConnectionBody>;

/** Returns a connection of a version 1 warehouse, with masked secrets and without the fields that version 1 does not know. */
export function connectionAnswer(fleet: Fleet, connection: Connection): Static<typeof ConnectionAnswer> {
  const { id, name, workspaceId, provider, fault } = connection;
  const { type, fields } = requireWarehouse(connection);
  const masked = maskConfig({ config: connection.config, secretFields: secretFieldsOf(fleet, provider) });
  const config = Object.entries(fields).map(([field, own]) => [own, textOf(masked[field])]);
  return {
    id,
    name,
    workspace_id: workspaceId,
    is_faulted: fault !== null,
    type,
    ...Object.fromEntries(config),
    ...auditAnswer(connection),
  };
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}

/**
 * Returns the body of version 2 that means the same. Throws VALIDATION_FAILED.
 * `stored` is the connection that a PUT replaces. Its state stays, and so does the part of its configuration that version 1
 * cannot express; the mask keeps its secrets.
 */
export function connectionBody(fleet: Fleet, body: Body, stored?: Connection): Static<typeof BodyOfTwo> {
  const provider = providerOfType(body.type);
  const warehouse = requireWarehouse({ provider });
  const foreign = foreignFieldIssues(body, warehouse);
  if (foreign.length > 0) throw refuse(foreign);
  const values = new Map<string, unknown>(Object.entries(body));
  const said = Object.entries(warehouse.fields).flatMap(([field, own]) => {
    const value = values.get(own) ?? null;
    return value === null ? [] : [[field, value]];
  });
  const secretFields = secretFieldsOf(fleet, provider);
  const kept =
    stored?.provider === provider
      ? fieldsBeyondV1(maskConfig({ config: stored.config, secretFields }), warehouse, body)
      : warehouse.defaults;
  return {
    id: body.id,
    name: body.name,
    state: stored?.state ?? 'active',
    service_provider: provider,
    config: { ...kept, ...Object.fromEntries(said) },
  };
}

function foreignFieldIssues(body: Body, { type, fields }: VersionOneFacts): readonly Issue[] {
  const own = Object.values(fields);
  return CONFIG_NAMES.filter((name) => body[name] != null && !own.includes(name)).map((path) => ({
    path,
    message: `is not a field of ${type}; known are ${own.join(', ')}`,
  }));
}

/** Returns the fields that version 1 cannot express. Other ways to sign in are left out where the body has its own. */
function fieldsBeyondV1(
  config: ConnectionConfig,
  { fields, otherSignIns = [] }: VersionOneFacts,
  body: Body,
): ConnectionConfig {
  const replaced = body.password == null && body.service_account_key == null ? [] : otherSignIns;
  const isKept = (field: string) => fields[field] === undefined && !replaced.includes(field);
  return Object.fromEntries(Object.entries(config).filter(([field]) => isKept(field)));
}

/** Fields that version 2 names in its complaints, with their names in version 1. */
export const CONNECTION_NAMES: FieldNames = { service_provider: 'type' };
