// A schema is compiled when the first request comes: one that cannot be would otherwise be found by whoever calls first.

import { expect, test } from 'vitest';
import { accessEndpoints } from '../../../src/access/index.ts';
import { versionOneEndpoints } from '../../../src/api-v1/index.ts';
import { createDsr, type DsrOptions } from '../../../src/dsr/index.ts';
import { eventsEndpoints, profileEndpoints } from '../../../src/events/index.ts';
import { groupsEndpoints } from '../../../src/groups/index.ts';
import { requestValidator } from '../../../src/http/validation/validate-request.ts';
import { identityEndpoints } from '../../../src/identity/index.ts';
import { AppError, Secret } from '../../../src/kernel/index.ts';
import { pipelinesEndpoints } from '../../../src/pipelines/index.ts';
import { runsEndpoints } from '../../../src/runs/index.ts';

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
