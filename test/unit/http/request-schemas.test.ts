// A schema is compiled when the first request comes: one that cannot be would otherwise be found by whoever calls first.
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accessEndpoints } from '../../../src/access/index.ts';
import { versionOneEndpoints } from '../../../src/api-v1/index.ts';
import { createDsr, type DsrOptions } from '../../../src/dsr/index.ts';
import { eventsEndpoints, profileEndpoints } from '../../../src/events/index.ts';
import { groupsEndpoints } from '../../../src/groups/index.ts';
import { requestValidator } from '../../../src/http/validation/validate-request.ts';
import { identityEndpoints } from '../../../src/identity/index.ts';
import { AppError, compileSchema, isInt64, parseInstant, Secret, stringifyJson } from '../../../src/kernel/index.ts';
import { pipelinesEndpoints } from '../../../src/pipelines/index.ts';
import { runsEndpoints } from '../../../src/runs/index.ts';
import { valueNear } from '../../support/apis/value-near.ts';

const none = {} as never;
const dsrOptions = {
  identityKey: new Secret('k'.repeat(32)),
  processor: {},
  dsr: { domain: 'host', domainAliases: [] },
} as unknown as DsrOptions;
const endpoints = [
  ...[...accessEndpoints(none), ...eventsEndpoints(none), ...identityEndpoints(none), ...profileEndpoints(none)],
  ...[
    ...pipelinesEndpoints(none),
    ...runsEndpoints(none),
    ...versionOneEndpoints(none),
    ...groupsEndpoints(none),
    ...createDsr(dsrOptions).endpoints,
  ],
];
const schemas = endpoints.flatMap((endpoint) =>
  (['parameters', 'body'] as const).map((part) => [`${part} of ${endpoint.operationId}`, endpoint, part] as const),
);

test.each(schemas)('%s can be checked', (_name, endpoint, part) => {
  const { parameters, body } = requestValidator(endpoint);
  try {
    if (part === 'body') body(null, 4);
    else parameters({}, {});
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
  }
});

const ajv = new Ajv({ strict: false, ownProperties: true, logger: false })
  .addKeyword({ keyword: 'int64', schemaType: 'boolean', validate: (_: boolean, value: unknown) => isInt64(value) })
  .addFormat('date-time', (text: string) => parseInstant(text) !== undefined);
const contracts = endpoints.flatMap(({ operationId, params, query, body, bodyCheck, responses }) => [
  ...(body === undefined || bodyCheck !== undefined ? [] : [[`body of ${operationId}`, body] as const]),
  ...[params, query, ...Object.values(responses)].map(
    (schema, place) => [`${place} of ${operationId}`, schema] as const,
  ),
]);

test.each(contracts)('%s takes and refuses the same values as ajv', (_name, schema) => {
  const fits = ajv.compile(schema);
  const check = compileSchema(schema);
  fc.assert(
    fc.property(fc.gen(), (generate) => {
      const value = valueNear(schema, generate);
      expect(check(value, 50).length === 0, stringifyJson(value)).toBe(fits(value));
    }),
    { numRuns: 30 },
  );
});
