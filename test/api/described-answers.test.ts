// Every operation refuses a wrong call with a status, a media type and a body that its description has.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInputCredential } from '../../src/access/index.ts';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import {
  type Answer,
  type AnswerCheck,
  answerCheck,
  type DescribedApi,
  type DescribedOperation,
  operationsOf,
} from '../support/apis/described-answers.ts';
import { basicOf } from '../support/apis/input-probes.ts';
import { ACTOR, bearerOf, someWorkspace } from '../support/apis/test-access.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const KEY = Buffer.alloc(32, 'described').toString('base64');
const BASE_URL = 'https://penstock.test';

let app: App;
let document: DescribedApi;
let operations: readonly DescribedOperation[];
let checkAnswer: AnswerCheck;
let credentials: Readonly<Record<string, string>>;
let places: Readonly<Record<string, string>>;
let calls = 0;

beforeAll(async () => {
  const store = await openTestStore();
  const config = readConfig({
    ...{ DATABASE_URL: store.databaseUrl, PENSTOCK_HOME: '/nowhere', PENSTOCK_PORT: '0', PENSTOCK_BASE_URL: BASE_URL },
    ...{ PENSTOCK_ENCRYPTION_KEYS: `k1:${KEY}`, PENSTOCK_IDENTITY_KEY: KEY },
  });
  app = await createApp(config, { log: createLog('silent') });
  await app.listen();
  const { workspaceId, credential } = await someWorkspace(app);
  const uses = ['server', 'dsr', 'web'] as const;
  const input = await createInputCredential(app, { workspaceId, name: 'probe', uses, actor: ACTOR });
  credentials = {
    bearer: await bearerOf(app.http, credential, BASE_URL),
    basic: basicOf(input.key, input.secret.reveal()),
  };
  places = { workspaceId: String(workspaceId), key: input.key };
  document = JSON.parse((await app.http.inject('/openapi.json')).body) as DescribedApi;
  operations = operationsOf(document);
  checkAnswer = answerCheck(document);
}, 300_000);
afterAll(() => app.drain(5000));

interface Given {
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
  /** Of path parameters that are not the workspace or the key. */
  readonly value?: string;
  readonly query?: string;
  readonly workspaceId?: string;
}

function authorized({ security }: DescribedOperation): Readonly<Record<string, string>> {
  const authorization = credentials[Object.keys(security[0] ?? {})[0] ?? ''];
  return authorization === undefined ? {} : { authorization };
}

function call(operation: DescribedOperation, given: Given): Promise<Answer> {
  const { headers = authorized(operation), payload, value = 'none', query = '' } = given;
  const named: Readonly<Record<string, string>> = {
    ...places,
    ...(given.workspaceId && { workspaceId: given.workspaceId }),
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => named[name] ?? value);
  calls += 1;
  return app.http.inject({
    method: operation.method,
    url: `${path}${query}`,
    headers,
    ...(payload === undefined ? {} : { payload }),
    // whoever fails often is told to wait: each call comes from another network
    remoteAddress: `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
  });
}

const JSON_TYPE = { 'content-type': 'application/json' };
const takesBody = ({ requestBody }: DescribedOperation) => requestBody !== undefined;
const asksWho = ({ security }: DescribedOperation) => security.length > 0;
const isOfWorkspace = ({ path }: DescribedOperation) => path.includes('{workspaceId}');

const BODIES: Readonly<Record<string, string | Buffer>> = {
  'broken JSON': '{"id": ',
  'no body at all': '',
  'a list': '[]',
  'an empty object': '{}',
  null: 'null',
  'a number past every type': '1e999',
  'a text': '"text"',
  'a field twice': '{"id": "a", "id": "b"}',
  'a field that nobody knows': '{"nobody_knows_this": 1}',
  'a field of the prototype': '{"__proto__": {"id": "a"}, "constructor": 1}',
  'text that is not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'U+0000': '{"id": "\\u0000", "name": "\\u0000"}',
  'a lone surrogate': '{"id": "\\ud800", "name": "\\ud800"}',
  'nesting without end': `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  'text that cannot be stored, deep in it': `${'['.repeat(20_000)}"\\u0000"${']'.repeat(20_000)}`,
};

/** Calls each operation so and says what was answered that is not described, and statuses that are not among the expected. */
async function unlike(
  which: (operation: DescribedOperation) => boolean,
  given: (operation: DescribedOperation) => Given,
  expected?: readonly number[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const operation of operations.filter(which)) {
    const answer = await call(operation, given(operation));
    const problem = checkAnswer(operation, answer);
    if (problem !== undefined) problems.push(`${operation.operationId}: ${problem}`);
    else if (expected !== undefined && !expected.includes(answer.statusCode)) {
      problems.push(`${operation.operationId}: ${answer.statusCode} is not expected: ${answer.body.slice(0, 200)}`);
    }
  }
  return problems;
}

describe('every operation answers as it is described', () => {
  it('to a call without credentials', async () => {
    expect(await unlike(asksWho, () => ({ headers: {} }), [401])).toEqual([]);
  });

  it.each(['Bearer nonsense', basicOf('nobody', 'nothing'), basicOf('', ''), 'Digest x', 'Basic', 'Bearer'])(
    'to credentials that are none: %s',
    async (authorization) => {
      expect(await unlike(asksWho, () => ({ headers: { authorization } }), [401, 403])).toEqual([]);
    },
  );

  it.each(['999999999999999999999', '-1', 'x', '0', '%00', '4611686018427387903'])(
    'to a workspace that there is not: %s',
    async (workspaceId) => {
      expect(await unlike(isOfWorkspace, () => ({ workspaceId }), [400, 404])).toEqual([]);
    },
  );

  it.each(['none', '-1', '99999999999999999999', '%00', '%F0%9F%90%9F', '__proto__', 'x'.repeat(500), "a'b", '%25'])(
    'to an id that there is not: %s',
    async (value) => {
      expect(
        await unlike(
          () => true,
          (it) => ({ value, ...(takesBody(it) && { payload: '{}', headers: { ...authorized(it), ...JSON_TYPE } }) }),
        ),
      ).toEqual([]);
    },
  );

  it.each(Object.entries(BODIES))('to a body that is %s', async (_name, payload) => {
    expect(await unlike(takesBody, (it) => ({ payload, headers: { ...authorized(it), ...JSON_TYPE } }))).toEqual([]);
  });

  it.each(['text/csv', 'application/xml', 'nonsense', 'application/json; charset=utf-16'])(
    'to a body of the type %s',
    async (type) => {
      const headers = { 'content-type': type };
      expect(await unlike(takesBody, (it) => ({ payload: '{}', headers: { ...authorized(it), ...headers } }))).toEqual(
        [],
      );
    },
  );

  it.each([
    ['gzip of no gzip', 'gzip', Buffer.from('{}')],
    ['gzip of broken JSON', 'gzip', gzipSync('{')],
    ['half a gzip', 'gzip', gzipSync('{"id": "a long enough text"}').subarray(0, 20)],
    ['zstd', 'zstd', Buffer.from('{}')],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))],
  ])('to a body that is %s', async (_name, encoding, payload) => {
    const headers = { ...JSON_TYPE, 'content-encoding': encoding };
    expect(
      await unlike(takesBody, (it) => ({ payload, headers: { ...authorized(it), ...headers } }), [400, 404, 413, 415]),
    ).toEqual([]);
  });

  it.each(['', '-1', 'x', '1e3', '99999999999999999999', '%00', '%ff', '2024-02-30', 'true', '[]'])(
    'to parameters that are all "%s"',
    async (value) => {
      const query = ({ parameters }: DescribedOperation) =>
        parameters.flatMap((it) => (it.in === 'query' ? [`${it.name}=${value}`] : []));
      const has = (it: DescribedOperation) => query(it).length > 0;
      expect(await unlike(has, (it) => ({ query: `?${query(it).join('&')}` }))).toEqual([]);
      expect(await unlike(has, (it) => ({ query: `?${[...query(it), ...query(it)].join('&')}` }))).toEqual([]);
    },
  );

  it('to a parameter that is unknown: the platform API refuses it, the others ignore it', async () => {
    for (const operation of operations.filter(({ method }) => method === 'GET')) {
      const [plain, more] = [await call(operation, {}), await call(operation, { query: '?nobody=1&nobody=2' })];
      const isPlatform = /^\/(platform|v1\/workspace)\//.test(operation.path);
      expect([operation.operationId, more.statusCode]).toEqual([
        operation.operationId,
        isPlatform ? 400 : plain.statusCode,
      ]);
      if (isPlatform)
        expect([operation.operationId, checkAnswer(operation, more)]).toEqual([operation.operationId, undefined]);
    }
  });

  it('to a call that is right, where there is nothing yet', async () => {
    expect(
      await unlike(
        ({ method }) => method === 'GET',
        () => ({}),
      ),
    ).toEqual([]);
  });

  it('to the example of its body', async () => {
    const payload = (it: DescribedOperation) => JSON.stringify(exampleOf(it));
    const has = (it: DescribedOperation) => exampleOf(it) !== undefined;
    expect(await unlike(has, (it) => ({ payload: payload(it), headers: { ...authorized(it), ...JSON_TYPE } }))).toEqual(
      [],
    );
  });
});

function exampleOf({ requestBody }: DescribedOperation): unknown {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  const name = schema?.$ref?.split('/').at(-1);
  const { examples = [] } = (name === undefined ? schema : document.components.schemas[name]) ?? {};
  return examples[0];
}

describe('the check of answers', () => {
  const answer = (statusCode: number, body: object): Answer => ({
    ...{ statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  const named = (id: string) => operations.find(({ operationId }) => operationId === id) as DescribedOperation;

  it('finds a status, a field, a lack and a body that are not described', () => {
    const plan = named('getDataPlan');
    const refusal = { statusCode: 404, errors: [{ message: 'There is none.' }] };
    expect(checkAnswer(plan, answer(404, refusal))).toBeUndefined();
    expect(checkAnswer(plan, answer(418, refusal))).toMatch(/^418 is none of/);
    expect(checkAnswer(plan, answer(404, { ...refusal, hint: 'x' }))).toMatch(/additional properties/);
    expect(checkAnswer(plan, answer(404, { statusCode: 404 }))).toMatch(/required property 'errors'/);
    expect(checkAnswer(named('deleteDataPlan'), answer(204, {}))).toMatch(/has a body/);
  });
});
