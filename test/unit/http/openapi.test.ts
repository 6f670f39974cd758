import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { Int64, NO_PARAMETERS, PageQuery } from '../../../src/http/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const closed = { additionalProperties: false } as const;
const RUN = Type.Object(
  {
    id: Int64({ description: 'Number of the run.' }),
    status: Type.Union([Type.Literal('queued'), Type.Literal('done')]),
  },
  { title: 'Run', ...closed },
);
const BODY = Type.Object(
  {
    pipeline_id: Type.String({ pattern: '^[\\w-]+$', meaning: 'letters, digits, "_" and "-"' }),
    state: Type.Union([Type.Literal('new'), Type.Literal('active')]),
    tags: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Null()]))),
    run: Type.Optional(RUN),
  },
  closed,
);
const workspace = Type.Object({ workspaceId: Int64() });

const endpoints = [
  anEndpoint({
    path: '/platform/v2/workspaces/:workspaceId/trigger',
    operationId: 'triggerPipeline',
    summary: 'Asks for a run.',
    description: 'Twice with one key gives one run.',
    tag: 'Pipelines',
    credential: 'platform_admin',
    params: workspace,
    body: Type.Object(BODY.properties, closed),
    refusals: { 409: 'A run is not over.' },
    ignoredFields: ['status'],
    requestHeaders: { 'Idempotency-Key': 'The same key within a day answers the same run.' },
    responses: { 200: RUN, 204: Type.Unknown() },
  }),
  anEndpoint({
    method: 'GET',
    path: '/platform/v2/workspaces/:workspaceId/runs',
    operationId: 'listRuns',
    tag: 'Pipelines',
    credential: 'platform_read',
    params: workspace,
    query: PageQuery,
    responses: { 200: Type.Object({ items: Type.Array(RUN) }) },
  }),
  anEndpoint({
    api: 'oauth',
    path: '/oauth/token',
    operationId: 'createToken',
    tag: 'Tokens',
    params: NO_PARAMETERS,
    formEncoded: true,
    body: Type.Object({ client_id: Type.String() }, closed),
    responses: { 200: Type.Object({ access_token: Type.String() }) },
  }),
];
const server = httpServer(endpoints);
// biome-ignore lint/suspicious/noExplicitAny: a document to look into
const document: any = JSON.parse((await server.inject('/openapi.json')).body);

/** Every object in a JSON value, with the keys that lead to it. */
function* objectsIn(
  value: unknown,
  path: readonly string[] = [],
): Iterable<[readonly string[], Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value as Record<string, unknown>];
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, [...path, key]);
}

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 of this version with all operations, ours included', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Penstock', version: '0.1.0' } });
    const operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(operations).toEqual([
      'post /platform/v2/workspaces/{workspaceId}/trigger',
      'get /platform/v2/workspaces/{workspaceId}/runs',
      'post /oauth/token',
      'get /healthz',
      'get /readyz',
      'get /metrics',
      'get /openapi.json',
    ]);
  });

  it('describes an operation with parameters, body, answers and credentials', () => {
    const { post } = document.paths['/platform/v2/workspaces/{workspaceId}/trigger'];
    const error = { 'application/json': { schema: { $ref: '#/components/schemas/PlatformError' } } };
    expect(post).toMatchObject({
      operationId: 'triggerPipeline',
      tags: ['Pipelines'],
      security: [{ bearer: [] }],
      parameters: [
        { name: 'workspaceId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
        { name: 'Idempotency-Key', in: 'header', required: false },
      ],
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Run' } } } },
        400: { content: error },
        401: { content: error },
        409: { description: 'A run is not over.', content: error },
        413: { content: error },
        default: { content: error },
      },
    });
    expect(post.responses[204]).toEqual({ description: 'No Content' });
    expect(post.requestBody.description).toBe('Accepted but ignored: status.');
    expect(post.requestBody.content['application/json'].schema.properties).toMatchObject({
      pipeline_id: { type: 'string', description: 'Must be letters, digits, "_" and "-".' },
      state: { enum: ['new', 'active'] },
      tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      run: { $ref: '#/components/schemas/Run' },
    });
  });

  it('shows defaults and does not require what has one', () => {
    const { get } = document.paths['/platform/v2/workspaces/{workspaceId}/runs'];
    const pageSize = get.parameters.find(({ name }: { name: string }) => name === 'pageSize');
    expect(pageSize).toMatchObject({ in: 'query', required: false, schema: { default: 100, maximum: 1000 } });
  });

  it('shows one media type for a body and names the other in words, for generators make two bodies of two', () => {
    const { post } = document.paths['/oauth/token'];
    expect(Object.keys(post.requestBody.content)).toEqual(['application/json']);
    expect(post.requestBody.description).toContain('application/x-www-form-urlencoded');
  });

  it('says where the API is: at its configured address, or where the description was found', async () => {
    expect(document.servers).toEqual([{ url: '/' }]);
    const config = { host: '127.0.0.1', port: 0, trustedProxies: [], bodyLimitBytes: 1024 };
    const named = httpServer([], { config: { ...config, baseUrl: 'https://penstock.example.com' } });
    const { servers } = JSON.parse((await named.inject('/openapi.json')).body);
    expect(servers).toEqual([{ url: 'https://penstock.example.com' }]);
  });

  it('names the items of a list that stands twice in an error body, so that a generator makes one class', async () => {
    const server = httpServer([anEndpoint({ api: 'identity', path: '/v1/thing' })]);
    const { components } = JSON.parse((await server.inject('/openapi.json')).body);
    const { errors, Errors } = components.schemas.IdentityError.properties;
    expect(errors.items).toEqual({ $ref: '#/components/schemas/CodedProblem' });
    expect(Errors.items).toEqual(errors.items);
  });

  it('asks for no credentials of the token request, and has its own errors', () => {
    const { post } = document.paths['/oauth/token'];
    expect(post.security).toEqual([]);
    expect(post.responses.default.content['application/json'].schema.$ref).toBe('#/components/schemas/OAuthError');
    expect(document.components.schemas.OAuthError.properties).toHaveProperty('error_description');
  });

  it('refers only to what it holds, and keeps our own keywords to itself', () => {
    for (const [, object] of objectsIn(document)) {
      expect(object).not.toHaveProperty('int64');
      expect(object).not.toHaveProperty('meaning');
      if (typeof object.$ref === 'string') {
        expect(document.components.schemas).toHaveProperty(object.$ref.replace('#/components/schemas/', ''));
      }
    }
  });

  it('holds only schemas that are JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, formats: { int64: true } });
    ajv.addSchema({ $id: 'root', components: document.components }, undefined, undefined, false);
    const schemas = [...objectsIn(document)].filter(([path]) => path.at(-1) === 'schema').map(([, schema]) => schema);
    expect(schemas.length).toBeGreaterThan(10);
    for (const schema of [...schemas, ...Object.values<object>(document.components.schemas)]) {
      expect(ajv.validateSchema(schema), JSON.stringify(schema)).toBe(true);
    }
  });

  it('stops the daemon at its start when two operations share an id', () => {
    expect(() => httpServer([anEndpoint({ operationId: 'getHealth' })])).toThrow('operation id getHealth');
  });
});

describe('/docs', () => {
  it('loads everything from this server, under a policy that allows nothing else', async () => {
    const page = await server.inject('/docs/');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/https?:|upgrade-insecure|\*/);
    expect(page.headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      expect(file).toMatch(/^\.\/static\//);
      expect((await server.inject(`/docs/${file.slice(2)}`)).statusCode).toBe(200);
    }
    expect(page.body).not.toMatch(/<script>|\son\w+=|\sstyle=/);
  });

  it('shows the very document of /openapi.json and asks no validator', async () => {
    expect(JSON.parse((await server.inject('/docs/json')).body)).toEqual(document);
    const start = (await server.inject('/docs/static/swagger-initializer.js')).body;
    expect(start).toContain('"validatorUrl":null');
    expect(start).not.toMatch(/https?:\/\/(?!stackoverflow\.com)/);
  });

  it.each(['/docs/static/nothing.js', '/docs/static/%00', '/docs/static/..%2f..%2fpackage.json'])(
    'has no %s',
    async (url) => {
      const response = await server.inject(url);
      expect(response.statusCode).toBe(404);
      expect(JSON.parse(response.body)).toMatchObject({ code: 'NOT_FOUND' });
    },
  );
});

describe('the security of an operation', () => {
  it.each([
    ['input_events', [{ basic: [] }]],
    ['input_web_events', []],
    ['input_identity', [{ basic: [] }, { key: [], signature: [] }, { key: [] }]],
    ['input_analytics', [{ basic: [] }]],
    ['platform_read', [{ bearer: [] }]],
  ] as const)('of %s names the ways to call, each with a scheme that is described', async (credential, ways) => {
    const server = httpServer([
      anEndpoint({ path: '/v1/thing', api: 'identity', credential, body: Type.Unknown(), plainText: true }),
    ]);
    const { paths, components } = JSON.parse((await server.inject('/openapi.json')).body);
    const { post } = paths['/v1/thing'];
    expect(post.security).toEqual(ways);
    const schemes = ways.flatMap((way) => Object.keys(way));
    expect(Object.keys(components.securitySchemes)).toEqual(expect.arrayContaining(schemes));
    expect(Object.keys(post.responses)).toContain(credential === 'input_web_events' ? '403' : '401');
    expect(post.requestBody.description).toBe('JSON is also accepted as text/plain.');
  });
});
