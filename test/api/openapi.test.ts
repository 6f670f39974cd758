// The description of the whole API, as a generated client gets it.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { beforeAll, expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { openTestStore } from '../support/stores/test-store.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<Record<string, { readonly content?: Media }>>;
}
type Media = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>> };
}

const KEY = Buffer.alloc(32, 'openapi').toString('base64');
let document: Document;
let operations: readonly (readonly [string, Operation])[];
beforeAll(async () => {
  await using store = await openTestStore();
  const config = readConfig({
    ...{ DATABASE_URL: store.databaseUrl, PENSTOCK_HOME: '/nowhere', PENSTOCK_PORT: '0' },
    ...{ PENSTOCK_ENCRYPTION_KEYS: `k1:${KEY}`, PENSTOCK_IDENTITY_KEY: KEY },
  });
  const app = await createApp(config, { log: createLog('silent') });
  document = JSON.parse((await app.http.inject({ url: '/openapi.json' })).body) as Document;
  await app.drain(5000);
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
});

it('is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate({ ...document })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

it('has schemas that are JSON Schema and refer to what is there', () => {
  const compile = compilerOf(document);
  const schemas = operations.flatMap(([name, { parameters, requestBody, responses }]) => [
    ...parameters.map(({ name: parameter, schema }) => [`${name} ${parameter}`, schema] as const),
    ...mediaOf({ request: { content: requestBody?.content ?? {} }, ...responses }).map(
      ([place, { schema }]) => [`${name} ${place}`, schema] as const,
    ),
  ]);
  for (const [place, schema] of schemas) {
    expect(() => compile(schema), place).not.toThrow();
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect(() => compile(schema), name).not.toThrow();
  }
});

it('has examples that are what their schemas say', () => {
  const errorsOf = judgeOf(document);
  for (const [name, { responses }] of operations) {
    for (const [place, { schema, example }] of mediaOf(responses)) {
      if (example !== undefined) expect(errorsOf(schema, example), `${name} ${place}`).toBeNull();
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    for (const example of schema.examples ?? []) expect(errorsOf(schema, example), name).toBeNull();
  }
});

it('shows for every body what one may look like, but that of the settings, whose defaults stand there', () => {
  const errorsOf = judgeOf(document);
  const without = operations.filter(([name, { requestBody }]) => {
    const [{ schema = {} } = {}] = Object.values(requestBody?.content ?? {});
    const { examples = [] } = resolved(schema);
    for (const example of examples) expect(errorsOf(schema, example), name).toBeNull();
    return requestBody !== undefined && examples.length === 0;
  });
  expect(without.map(([, { operationId }]) => operationId)).toEqual(['replaceSettings']);
});

it('says that a parameter of a query may be left empty where it may be left out', () => {
  const inQueries = operations.flatMap(([, { parameters }]) =>
    parameters.filter((parameter) => parameter.in === 'query'),
  );
  expect(inQueries.length).toBeGreaterThan(20);
  for (const { required, allowEmptyValue = false } of inQueries) expect(allowEmptyValue).toBe(!required);
});

it('names each parameter of a path once, and a body for each answer that has one', () => {
  for (const [name, { parameters, responses }] of operations) {
    const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect([name, parameters.filter((each) => each.in === 'path').map((each) => each.name)]).toEqual([name, inPath]);
    for (const [status, { content }] of Object.entries(responses)) {
      const isEmpty = status === '204' || (status === '202' && !name.includes('/dsr/'));
      expect([name, status, content === undefined]).toEqual([name, status, isEmpty]);
    }
  }
});

function mediaOf(answers: Readonly<Record<string, { readonly content?: Media }>>) {
  return Object.entries(answers).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, media]) => [`${status} ${type}`, media] as const),
  );
}

function resolved(schema: { readonly $ref?: string; readonly examples?: readonly unknown[] }) {
  const { $ref } = schema;
  return $ref === undefined ? schema : (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
}

/** Compiles each schema once, however many answers say it: a file has none. */
function compilerOf({ components }: Document): (schema?: object) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const [name, schema] of Object.entries(components.schemas))
    ajv.addSchema(withRefs(textOf(schema)), `urn:the:${name}`);
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = textOf(schema);
    const known = compiled.get(text) ?? ajv.compile(withRefs(text));
    compiled.set(text, known);
    return known;
  };
}

/** What is wrong with an example; null when nothing is. */
function judgeOf(described: Document): (schema: object, example: unknown) => ValidateFunction['errors'] {
  const compile = compilerOf(described);
  return (schema, example) => {
    const validate = compile(schema);
    return validate(example) === true ? null : (validate.errors ?? []);
  };
}

const textOf = (schema: object = {}): string => JSON.stringify(schema);

/** References lead into the document. */
const withRefs = (text: string): object => JSON.parse(text.replaceAll('"#/components/schemas/', '"urn:the:')) as object;
