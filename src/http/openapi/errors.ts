import { Type } from 'typebox';
import type { ApiName, Endpoint } from '../contract.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

/** The error body of each API, as OpenAPI shows it; `error-answer.ts` writes them. */
export const ERROR_SCHEMAS: Readonly<Record<ApiName, JsonSchema>> = {
  platform_v2: Type.Object(
    {
      statusCode: Type.Integer(),
      errors: Type.Array(Type.Object({ message: Type.String() }), { description: 'One entry for each problem.' }),
    },
    { title: 'PlatformError' },
  ),
  oauth: Type.Object(
    { error: Type.String({ description: 'A word of RFC 6749.' }), error_description: Type.String() },
    { title: 'OAuthError' },
  ),
  operations: Type.Object(
    { code: Type.String(), message: Type.String(), request_id: Type.String() },
    { title: 'OperationsError' },
  ),
};

const MEANINGS = {
  400: 'A parameter or the body is wrong; the message names the field.',
  401: 'Credentials are missing, wrong or expired.',
  403: 'The credentials are right but do not allow this.',
  404: 'Nothing of that id exists in this workspace.',
  413: 'The body, decompressed, is too large.',
  415: 'The Content-Type or Content-Encoding is not read here.',
} as const;

/** The refusals that follow from what an endpoint asks for; its own rules may refuse with others. */
export function expectedErrors({ credential, body, params, query }: Endpoint): readonly (readonly [number, string])[] {
  const isChecked = body !== undefined || Object.keys({ ...params.properties, ...query.properties }).length > 0;
  const statuses: readonly (keyof typeof MEANINGS)[] = [
    ...(isChecked ? [400 as const] : []),
    ...(credential === 'none' ? [] : ([401, 403, 404] as const)),
    ...(body === undefined ? [] : ([413, 415] as const)),
  ];
  return statuses.map((status) => [status, MEANINGS[status]]);
}
