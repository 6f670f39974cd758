// The API's own description, as a generated client gets it for probing: nothing of it is loosened. What is narrowed: which
// answers count as described (those with a status of their own, not the one for any other), and where warehouses are (at a port
// of this machine that is closed). Ids of resources that are there are examples, so that a part of the calls gets past 404.
import type { Seeds } from './seed-resources.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** By name of a path parameter or a field of a body; `operation.name` where an operation has its own. */
export type Values = Readonly<Record<string, Json>>;
interface Parameter {
  readonly name: string;
  readonly schema: object;
  readonly example?: Json;
  readonly allowEmptyValue?: boolean;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, Json>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}

/** Connections of every provider, none of which leads anywhere but to this machine. */
export const CONFIGS: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  Alpha: {
    ...{ account_identifier: 'acct', region: 'eu-1', warehouse: 'wh', database: 'shop', user: 'u', role: 'r' },
    ...{ password: 'secret', storage_integration: 'integration' },
  },
  Beta: {
    ...{ project_id: 'my-project', dataset_id: 'shop', service_account_key: 'key' },
    service_account_id: 'penstock@my-project.iam.gserviceaccount.com',
  },
  Gamma: { host: '127.0.0.1', port: '1', database: 'shop', user: 'u', password: 'secret' },
  Delta: { provider: 'org', schema: 'shop', host: '127.0.0.1', http_path: '/sql/1.0/warehouses/1', token: 'dapi' },
  DuckDB: { database: ':memory:' },
};

export function proberDocument(document: Document, seeds: Seeds): Document {
  const paths = mapValues(document.paths, (item) => mapValues(item, (operation) => narrowed(operation, seeds)));
  const schemas = mapValues(document.components.schemas, (schema, name) =>
    withHosts(name, schema.properties === undefined ? schema : withValues(schema, seeds.values)),
  );
  return { ...document, paths, components: { ...document.components, schemas } };
}

function narrowed(operation: Operation, { values, bodies }: Seeds): Operation {
  const { operationId, requestBody } = operation;
  const { default: _any, ...responses } = operation.responses;
  const parameters = operation.parameters.map(({ example: _shown, ...parameter }) => {
    const known = values[`${operationId}.${parameter.name}`] ?? values[parameter.name];
    const [first] = Array.isArray(known) ? known : [];
    return {
      ...parameter,
      schema: orEmpty(parameter, preferring(parameter.schema, known)),
      ...(first !== undefined && { example: first as Json }),
    };
  });
  const body = bodies[operationId];
  if (requestBody === undefined || body === undefined) return { ...operation, parameters, responses };
  const content = mapValues(requestBody.content, (media) => ({ ...media, example: body }));
  return { ...operation, parameters, responses, requestBody: { ...requestBody, content } };
}

/** schemathesis does not know `allowEmptyValue`. */
function orEmpty({ allowEmptyValue = false }: Parameter, schema: object): object {
  return allowEmptyValue ? { anyOf: [schema, { enum: [''] }] } : schema;
}

/** One of the values more often than chance would have it; one value alone is all there is. */
function preferring(schema: object, values: Json | undefined): object {
  if (!Array.isArray(values)) return schema;
  return values.length === 1 ? { enum: values } : { anyOf: [{ enum: values }, schema] };
}

type Schema = Document['components']['schemas'][string];

function withValues(schema: Schema, values: Values): Schema {
  const properties = mapValues(schema.properties as Record<string, object>, (property, name) =>
    preferring(property, values[name]),
  );
  return { ...schema, properties };
}

/** A body of a connection is one of those above, with whatever else the schema lets it hold. */
function withHosts(name: string, schema: Schema): Schema {
  if (name !== 'ConnectionBody') return schema;
  const pairs = Object.entries(CONFIGS).map(([provider, config]) => ({
    properties: { service_provider: { const: provider }, config: { const: config } },
  }));
  return { ...schema, oneOf: pairs } as Schema;
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
}
