import { STATUS_CODES } from 'node:http';
import { isObject, type JsonSchema } from '../../kernel/index.ts';
import type { Endpoint } from '../contract.ts';
import { ERROR_SCHEMAS, errorExample, expectedErrors } from './errors.ts';
import type { SchemaWriter } from './schema.ts';
import { SECURITY } from './security.ts';

type Part = Readonly<Record<string, unknown>>;

/** Returns the OpenAPI operation of an endpoint. */
export function operationOf(endpoint: Endpoint, writer: SchemaWriter): Part {
  const { operationId, summary, description, tag, credential } = endpoint;
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    parameters: [...parametersOf(endpoint, writer), ...headersOf(endpoint)],
    ...requestBody(endpoint, writer),
    responses: responsesOf(endpoint, writer),
    security: SECURITY[credential],
  };
}

function parametersOf({ params, query }: Endpoint, writer: SchemaWriter): readonly Part[] {
  const places = [
    ['path', params],
    ['query', query],
  ] as const;
  return places.flatMap(([place, schema]) => {
    const { properties = {}, required = [] }: JsonSchema = schema;
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      ...needOf(place === 'path' || (required.includes(name) && property.default === undefined)),
      ...(property.description === undefined ? {} : { description: property.description }),
      // the reference page fills the example in where users try a call
      ...(property.examples === undefined ? {} : { example: property.examples[0] }),
      schema: writer.write(property),
    }));
  });
}

/** Returns the need of a parameter: an optional one may also be empty (`coerce-parameters.ts`). */
const needOf = (required: boolean): Part => ({ required, ...(required ? {} : { allowEmptyValue: true }) });

function headersOf({ requestHeaders = {} }: Endpoint): readonly Part[] {
  return Object.entries(requestHeaders).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

/** Describes the body as JSON alone. Client generators trip over a second media type of the same body, so words name it. */
function requestBody(endpoint: Endpoint, writer: SchemaWriter): Part {
  const { body, formEncoded, plainText, ignoredFields = [] } = endpoint;
  if (body === undefined) return {};
  const required = endpoint.mayLackBody !== true;
  const notes = [
    ...(formEncoded === true ? ['Also accepted as application/x-www-form-urlencoded.'] : []),
    ...(plainText === true ? ['JSON is also accepted as text/plain.'] : []),
    ...(ignoredFields.length === 0 ? [] : [`Accepted but ignored: ${ignoredFields.join(', ')}.`]),
  ];
  const described = notes.length === 0 ? {} : { description: notes.join(' ') };
  return {
    requestBody: { ...described, required, content: { 'application/json': { schema: writer.write(body) } } },
  };
}

function responsesOf(endpoint: Endpoint, writer: SchemaWriter): Part {
  const { api } = endpoint;
  const refusals = expectedErrors(endpoint).map(([status, description]) => [
    status,
    { description, ...content(ERROR_SCHEMAS[api], writer, errorExample(api, status, description)) },
  ]);
  const declared = Object.entries(endpoint.responses).map(([status, schema]) => [
    status,
    {
      description: describes(schema) ?? STATUS_CODES[status] ?? status,
      ...(isEmpty(status, schema) ? {} : content(schema, writer)),
    },
  ]);
  return {
    ...Object.fromEntries(refusals),
    ...withStream(Object.fromEntries(declared), endpoint, writer),
    default: { description: 'Any other error.', ...content(ERROR_SCHEMAS[api], writer) },
  };
}

/**
 * Adds the streamed answer. The schema describes one line, because OpenAPI 3.1 cannot describe a stream of lines. A file has no
 * schema, because it is bytes.
 */
function withStream(declared: Readonly<Record<string, Part>>, { streams }: Endpoint, writer: SchemaWriter): Part {
  if (streams === undefined) return declared;
  const { content: media = {} } = declared[200] ?? {};
  const streamed =
    'line' in streams
      ? { 'application/x-ndjson': { schema: writer.write(streams.line) } }
      : { [streams.mediaType]: {} };
  return {
    ...declared,
    200: { description: streams.description, content: { ...(isObject(media) ? media : {}), ...streamed } },
  };
}

const describes = ({ description }: JsonSchema): string | undefined => description;

/** Tells whether an answer has no body: its status is 204, or its type is null. */
function isEmpty(status: string, { type }: JsonSchema): boolean {
  return status === '204' || type === 'null';
}

/**
 * Returns the content of an answer. A schema of type string is sent as text, plain unless the schema names another media type.
 */
function content(schema: JsonSchema, writer: SchemaWriter, example?: unknown): Part {
  const media = { schema: writer.write(schema), ...(example === undefined ? {} : { example }) };
  const { contentMediaType = 'text/plain' } = schema;
  return { content: { [schema.type === 'string' ? contentMediaType : 'application/json']: media } };
}
