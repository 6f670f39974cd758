// The partners that erasures are forwarded to (D-068), and their secrets (D-016).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPlatformCredential } from '../../../src/access/index.ts';
import { partnerEndpoints } from '../../../src/dsr/forwarding/partner-endpoints.ts';
import { createOutgoing } from '../../../src/http/index.ts';
import { SECRET_MASK, type WorkspaceId } from '../../../src/kernel/index.ts';
import {
  ACTOR,
  accessServer,
  bearerOf,
  openTestAccess,
  someWorkspace,
  type TestAccess,
} from '../../support/apis/test-access.ts';

const PARTNER = {
  ...{ id: 'mail-house', name: 'The mail house', domain: 'mail.example.com' },
  ...{ url: 'https://93.184.216.34/requests', auth: { type: 'bearer', token: 'tok-1' } },
  identity_types: ['email', 'controller_customer_id', 'other2'],
};
const AUTHS = [
  { type: 'none' },
  { type: 'basic', username: 'penstock', password: 'pass' },
  { type: 'bearer', token: 'tok' },
  { type: 'header', name: 'X-Api-Key', value: 'abc' },
];

let access: TestAccess;
let server: ReturnType<typeof accessServer>;
let workspaceId: WorkspaceId;
let bearer: string;
let base: string;
beforeAll(async () => {
  access = await openTestAccess();
  const outgoing = createOutgoing({ allowedHosts: ['partner.internal'], resolve: async () => ['10.0.0.9'] });
  server = accessServer(access, partnerEndpoints({ ...access, outgoing }));
  const made = await someWorkspace(access);
  workspaceId = made.workspaceId;
  bearer = await bearerOf(server, made.credential);
  base = `/platform/v2/workspaces/${workspaceId}/dsr/partners`;
});
afterAll(() => access[Symbol.asyncDispose]());
beforeEach(() => access.store.execute('DELETE FROM dsr_partners'));

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const call = (method: Method, url: string, payload?: object) => callAs(bearer, method, { url, payload });

interface Called {
  readonly url: string;
  readonly payload?: object | undefined;
}

async function callAs(authorization: string, method: Method, { url, payload }: Called) {
  const answer = await server.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
  const body = answer.body === '' ? undefined : JSON.parse(answer.body);
  return {
    status: answer.statusCode,
    body,
    messages: (body?.errors ?? []).map((one: { message: string }) => one.message),
  };
}

const create = (more: object = {}) => call('POST', base, { ...PARTNER, ...more });
const stored = async () =>
  (
    await access.store.query<{ auth: string }>('SELECT auth FROM dsr_partners WHERE workspace_id = $1', [workspaceId])
  )[0]?.auth;

describe('a partner', () => {
  test('is created, listed, read, replaced and deleted', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 200, body: { ...PARTNER, auth: { type: 'bearer', token: SECRET_MASK } } });
    expect((await call('GET', base)).body).toEqual([created.body]);
    expect((await call('GET', `${base}/mail-house`)).body).toEqual(created.body);
    const replaced = await call('PUT', `${base}/mail-house`, { ...created.body, name: 'Another' });
    expect(replaced).toMatchObject({ status: 200, body: { name: 'Another', last_modified_by: expect.any(String) } });
    expect(await call('DELETE', `${base}/mail-house`)).toMatchObject({ status: 204, body: undefined });
    expect((await call('GET', `${base}/mail-house`)).status).toBe(404);
    expect((await call('DELETE', `${base}/mail-house`)).status).toBe(404);
  });

  test.each(AUTHS)('may be signed in to by $type, and its secret is encrypted and masked', async (auth) => {
    const { status, body } = await create({ auth });
    expect(status).toBe(200);
    const secret = Object.entries(auth).find(([name]) => ['password', 'token', 'value'].includes(name));
    if (secret === undefined) return;
    expect(body.auth).toEqual({ ...auth, [secret[0]]: SECRET_MASK });
    expect(JSON.parse((await stored()) ?? '')[secret[0]]).toMatch(/^test\./);
    expect(await stored()).not.toContain(`"${secret[1]}"`);
  });

  test('keeps its secret when the mask is sent back', async () => {
    const { body } = await create();
    const before = await stored();
    expect((await call('PUT', `${base}/mail-house`, { ...body, name: 'Another' })).status).toBe(200);
    expect(await stored()).toBe(before);
  });

  test('takes another secret', async () => {
    const { body } = await create();
    const before = await stored();
    await call('PUT', `${base}/mail-house`, { ...body, auth: { type: 'bearer', token: 'tok-2' } });
    expect(await stored()).not.toBe(before);
  });

  test.each([
    ['the url changed', { url: 'https://93.184.216.35/requests' }],
    ['the type was bearer', { auth: { type: 'basic', username: 'u', password: SECRET_MASK } }],
  ])('whose mask is sent is refused where %s', async (why, more) => {
    const { body } = await create();
    const before = await stored();
    const { status, messages } = await call('PUT', `${base}/mail-house`, { ...body, ...more });
    expect([status, messages]).toEqual([400, [expect.stringContaining(why)]]);
    expect(await stored()).toBe(before);
  });

  test.each<readonly [string, object, string]>([
    ['a mask without a secret', { auth: { type: 'bearer', token: SECRET_MASK } }, 'no secret is stored'],
    ['a URL that is not https', { url: 'http://93.184.216.34/' }, 'url: '],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url: '],
    ['a name of a private address', { url: 'https://partner.example/' }, 'url: '],
    ['a type of identity nobody knows', { identity_types: ['shoe_size'] }, 'identity_types[0]'],
    ['mpid, which no partner knows', { identity_types: ['mpid'] }, 'identity_types[0]'],
    ['no type of identity', { identity_types: [] }, 'identity_types'],
    ['a type twice', { identity_types: ['email', 'email'] }, 'identity_types'],
    ['a domain that is none', { domain: 'not a domain' }, 'domain'],
    ['a header that is the request’s own', { auth: { type: 'header', name: 'Host', value: 'x' } }, 'auth.name'],
    ['a header value with a line break', { auth: { type: 'header', name: 'X-Key', value: 'a\r\nb: c' } }, 'auth.value'],
    ['a token with a line break', { auth: { type: 'bearer', token: 'a\nb' } }, 'auth.token'],
    ['a user name with a colon', { auth: { type: 'basic', username: 'a:b', password: 'c' } }, 'auth.username'],
    ['a field it does not know', { colour: 'red' }, 'colour'],
    ['an id that is no slug', { id: 'a b' }, 'id'],
  ])('is refused with %s', async (_what, more, message) => {
    const { status, messages } = await create(more);
    expect([status, messages.join('; ')]).toEqual([400, expect.stringContaining(message)]);
    expect(await stored()).toBeUndefined();
  });

  test('may have a private host that the configuration names', async () => {
    expect((await create({ url: 'https://partner.internal/' })).status).toBe(200);
  });

  test('has an id of its own: 409 for a second, 400 where the path has another', async () => {
    await create();
    expect((await create()).status).toBe(409);
    expect((await call('PUT', `${base}/mail-house`, { ...PARTNER, id: 'other' })).status).toBe(400);
    expect((await call('PUT', `${base}/other`, { ...PARTNER, id: 'other' })).status).toBe(404);
  });

  test('is one of fifty at most', async () => {
    for (let n = 0; n < 50; n++) expect((await create({ id: `p${n}` })).status).toBe(200);
    const { status, messages } = await create();
    expect([status, messages]).toEqual([400, [expect.stringContaining('at most 50')]]);
  });

  test('belongs to its workspace, and needs an admin to be changed', async () => {
    await create();
    const other = await someWorkspace(access);
    const theirs = await bearerOf(server, other.credential);
    expect((await callAs(theirs, 'GET', { url: base })).status).toBe(404);
    const elsewhere = `/platform/v2/workspaces/${other.workspaceId}/dsr/partners`;
    expect((await callAs(theirs, 'GET', { url: `${elsewhere}/mail-house` })).status).toBe(404);
    expect((await callAs(theirs, 'GET', { url: elsewhere })).body).toEqual([]);
    expect((await server.inject({ url: base })).statusCode).toBe(401);
  });

  test('may be read by who may read, and changed by none of them', async () => {
    await create();
    const { accountId } = await someAccount();
    const made = await createPlatformCredential(access, {
      ...{ accountId, name: 'reader', role: 'read', workspaceIds: [workspaceId], actor: ACTOR },
    });
    const reader = await bearerOf(server, made);
    expect((await callAs(reader, 'GET', { url: base })).status).toBe(200);
    expect((await callAs(reader, 'POST', { url: base, payload: { ...PARTNER, id: 'x' } })).status).toBe(403);
    expect((await callAs(reader, 'DELETE', { url: `${base}/mail-house` })).status).toBe(403);
  });

  test('leaves its changes in the audit log, without its secret', async () => {
    const { body } = await create();
    await call('PUT', `${base}/mail-house`, { ...body, name: 'Another', auth: { type: 'bearer', token: 'tok-2' } });
    await call('DELETE', `${base}/mail-house`);
    const changes = await access.store.query<{ action: string; detail: string }>(
      `SELECT action, detail FROM audit_log WHERE workspace_id = $1 AND resource = 'dsr_partner/mail-house'
       ORDER BY id DESC LIMIT 3`,
      [workspaceId],
    );
    expect(changes.map(({ action }) => action)).toEqual([
      'dsr_partner.deleted',
      'dsr_partner.updated',
      'dsr_partner.created',
    ]);
    expect(changes.map(({ detail }) => detail).join()).not.toMatch(/tok-/);
  });
});

async function someAccount() {
  const [row] = await access.store.query<{ accountId: bigint }>(
    'SELECT account_id AS "accountId" FROM workspaces WHERE id = $1',
    [workspaceId],
  );
  return { accountId: row?.accountId ?? 0n };
}
