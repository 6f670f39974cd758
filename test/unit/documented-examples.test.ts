import { describe, expect, test } from 'vitest';
import { type AccessEndpointsDeps, accessEndpoints } from '../../src/access/index.ts';
import { versionOneEndpoints } from '../../src/api-v1/index.ts';
import { requestValidator } from '../../src/http/validation/validate-request.ts';
import { type IdentityEndpointsDeps, identityEndpoints } from '../../src/identity/index.ts';
import { type JsonSchema, parseJson, stringifyJson } from '../../src/kernel/index.ts';
import { type PipelinesEndpointDeps, pipelinesEndpoints } from '../../src/pipelines/index.ts';

const endpoints = [
  ...accessEndpoints({} as AccessEndpointsDeps),
  ...identityEndpoints({} as IdentityEndpointsDeps),
  ...pipelinesEndpoints({} as PipelinesEndpointDeps),
  ...versionOneEndpoints({} as Parameters<typeof versionOneEndpoints>[0]),
];
const withBody = endpoints.filter(({ body }) => body !== undefined && Object.hasOwn(body, 'examples'));

describe('the examples of the reference page', () => {
  test('are there for every body but that of the settings, whose defaults stand there', () => {
    const without = endpoints.filter((it) => it.body !== undefined && !withBody.includes(it));
    expect(without.map(({ operationId }) => operationId)).toEqual(['replaceSettings']);
  });

  test.each(withBody.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    '%s takes its own',
    (_id, endpoint) => {
      const { examples = [] } = endpoint.body as JsonSchema;
      expect(examples).not.toEqual([]);
      for (const example of examples) {
        const text = stringifyJson(example);
        expect(() => requestValidator(endpoint).body(parseJson(text), text.length)).not.toThrow();
      }
    },
  );
});
