// Checks answers against the API description: status, media type and body, and nothing beyond.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
}

export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
}

interface Media {
  readonly schema?: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly parameters: readonly DescribedParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<DescribedOperation, 'method' | 'path'>>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function operationsOf({ paths }: DescribedApi): readonly DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      ...{ path, method: method.toUpperCase() as DescribedOperation['method'] },
    })),
  );
}

/** Why an answer is not one of those that the operation names by its status; undefined: it is. */
export type AnswerCheck = (operation: DescribedOperation, answer: Answer) => string | undefined;

export function answerCheck(document: DescribedApi): AnswerCheck {
  const bodyProblem = bodyCheck(document);
  return ({ responses }, { statusCode, headers, body }) => {
    const described = responses[statusCode];
    if (described === undefined) return `${statusCode} is none of ${Object.keys(responses)}: ${body.slice(0, 200)}`;
    const { content } = described;
    if (content === undefined) return body === '' ? undefined : `${statusCode} has a body: ${body}`;
    const [type = ''] = String(headers['content-type']).split(';');
    const media = content[type];
    if (media === undefined) return `${statusCode} is "${type}", not one of ${Object.keys(content)}`;
    return type === 'application/json' ? bodyProblem(media, body) : undefined;
  };
}

function bodyCheck(document: DescribedApi): (media: Media, body: string) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const compiled = new Map<object, ValidateFunction>();
  return ({ schema = {} }, body) => {
    const fits = compiled.get(schema) ?? ajv.compile(withRefs(schema));
    compiled.set(schema, fits);
    return fits(JSON.parse(body)) ? undefined : `${ajv.errorsText(fits.errors)}: ${body.slice(0, 200)}`;
  };
}

/** References lead into the document. */
function withRefs(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object;
}
