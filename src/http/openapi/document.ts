import manifest from '../../../package.json' with { type: 'json' };
import { AppError } from '../../kernel/index.ts';
import type { Endpoint } from '../contract.ts';
import { operationOf } from './operation.ts';
import { schemaWriter } from './schema.ts';
import { SECURITY_SCHEMES } from './security.ts';

const SIGNING_IN = [
  'To call it: `penstock init` gives a workspace, a client id and a secret. `POST /oauth/token` exchanges id and secret',
  'for a token; its `audience` is the address of this API. Send the token as `Authorization: Bearer …`, or put it in here',
  'with **Authorize**. Ids have 64 bits: read numbers without rounding.',
  'A PUT replaces the resource; the last PUT wins. There are no ETags, and `If-Match` is ignored.',
].join(' ');

/**
 * Returns the OpenAPI 3.1 description of all endpoints, made from their values alone.
 * `baseUrl` is the address where clients find the API; without `baseUrl`, they use the address of the description.
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  baseUrl: string | undefined,
): Readonly<Record<string, unknown>> {
  assertUniqueIds(endpoints);
  const writer = schemaWriter();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, writer) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version: manifest.version,
      description: `${manifest.description}\n\n${SIGNING_IN}`,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: baseUrl ?? '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: writer.components,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function assertUniqueIds(endpoints: readonly Endpoint[]): void {
  const ids = endpoints.map(({ operationId }) => operationId);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new AppError('INTERNAL', `Two endpoints have the operation id ${twice}.`);
}
