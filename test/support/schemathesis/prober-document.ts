// The API's own description, as a generated client gets it for probing: nothing of it is loosened. What is narrowed: which
// answers count as described (those with a status of their own, not the one for any other), and where warehouses are (at a port
// of this machine that is closed). Ids of resources that are there are examples, so that a part of the calls gets past 404.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly responses: Readonly<Record<string, Json>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}

/** Everything below these is the platform's: 002 and its extensions. */
const PLATFORM = ['/platform/', '/oauth/', '/v1/workspace/', '/.well-known/'];

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

export function proberDocument(document: Document, values: Readonly<Record<string, Json>>): Document {
  const paths = Object.entries(document.paths)
    .filter(([path]) => PLATFORM.some((prefix) => path.startsWith(prefix)))
    .map(([path, item]) => [path, mapValues(item, (operation) => narrowed(operation, values))]);
  const schemas = mapValues(document.components.schemas, (schema, name) =>
    withHosts(name, schema.properties === undefined ? schema : withValues(schema, values)),
  );
  return { ...document, paths: Object.fromEntries(paths), components: { ...document.components, schemas } };
}

function narrowed(operation: Operation, values: Readonly<Record<string, Json>>): Operation {
  const { default: _any, ...responses } = operation.responses;
  const parameters = operation.parameters.map((parameter) => ({
    ...parameter,
    schema: preferring(parameter.schema, values[parameter.name]),
  }));
  return { ...operation, parameters, responses };
}

/** One of the values more often than chance would have it; one value alone is all there is. */
function preferring(schema: object, values: Json | undefined): object {
  if (!Array.isArray(values)) return schema;
  return values.length === 1 ? { enum: values } : { anyOf: [{ enum: values }, schema] };
}

type Schema = Document['components']['schemas'][string];

function withValues(schema: Schema, values: Readonly<Record<string, Json>>): Schema {
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
