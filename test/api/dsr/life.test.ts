// The life of a request over HTTP: status, cancel, discovery, states and endpoints (docs/spec/data-subject-requests.md,
// D-054).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setStatus } from '../../../src/dsr/set-status.ts';
import { bodyOne, bodyThree, bodyTwo, type DsrApi, openDsrApi } from '../../support/apis/dsr-api.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { storedRequest } from '../../support/apis/dsr-stored.ts';

const PATHS = { 3: '/dsr/v3/requests', 2: '/dsr/v2/requests', 1: '/dsr/v1/opengdpr_requests' } as const;
const VERSIONS = [3, 2, 1] as const;
const BODIES = { 3: bodyThree, 2: bodyTwo, 1: bodyOne } as const;

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

async function created(version: (typeof VERSIONS)[number] = 3, rest: object = {}): Promise<string> {
  const { status, body } = await api.post(
    PATHS[version],
    BODIES[version]({ subject_request_type: 'erasure', ...rest }),
  );
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.subject_request_id;
}

async function move(id: string, ...statuses: readonly ('in_progress' | 'completed')[]): Promise<void> {
  for (const next of statuses) {
    const { row } = await storedRequest(api, id);
    await api.access.store.transaction((tx) => setStatus(tx, row, { next, nowMs: api.access.clock.nowMs() }));
  }
}

describe('GET /requests/{RequestID}', () => {
  it('answers 200 with the status object', async () => {
    const id = await created(3, { group_id: 'spring' });
    const { status, body } = await api.get(`${PATHS[3]}/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      controller_id: String(api.workspaceId),
      expected_completion_time: '2026-01-25T00:00:00.000Z',
      subject_request_id: id,
      group_id: 'spring',
      request_status: 'pending',
      api_version: '3.0',
      results_url: null,
      extensions: null,
    });
  });

  it.each([2, 1] as const)('version %i: without a zone, and no forwarding', async (version) => {
    const { body } = await api.get(`${PATHS[version]}/${await created(version)}/`);
    expect(body).toMatchObject({ expected_completion_time: '2026-01-25T00:00:00.000', api_version: `${version}.0` });
    expect(body).toMatchObject({ group_id: null, extensions: null });
  });

  it('answers in the shape of the path, whatever version the request came in with', async () => {
    for (const from of VERSIONS) {
      const id = await created(from);
      for (const version of VERSIONS) {
        const { body } = await api.get(`${PATHS[version]}/${id}`);
        expect([from, body.api_version, body.expected_completion_time.endsWith('Z')]).toEqual([
          ...[from, `${version}.0`, version === 3],
        ]);
      }
    }
  });

  it('finds an id in capital letters', async () => {
    const id = await created();
    expect(await api.get(`${PATHS[3]}/${id.toUpperCase()}`)).toMatchObject({ status: 200 });
  });

  it.each([
    ['in_progress', ['in_progress']],
    ['completed', ['in_progress', 'completed']],
  ] as const)('shows %s', async (status, moves) => {
    const id = await created();
    await move(id, ...moves);
    expect((await api.get(`${PATHS[3]}/${id}`)).body.request_status).toBe(status);
  });

  it.each(VERSIONS)('version %i is 404 for an id that is not there, or that is none', async (version) => {
    for (const id of [randomUUID(), '4711', '%20']) {
      const { status, body } = await api.get(`${PATHS[version]}/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual({
        code: 404,
        message: expect.stringContaining('There is no subject request'),
        errors: [{ domain: 'Request', reason: 'NOT_FOUND', message: body.message }],
      });
    }
  });
});

describe('GET /requests?group_id=', () => {
  it('lists the requests of the group, in the order they were received', async () => {
    const group = randomUUID();
    const first = await created(3, { group_id: group });
    api.access.clock.advance(1);
    const second = await created(3, { group_id: group, subject_request_type: 'access' });
    await created(3, { group_id: 'another' });
    for (const path of [PATHS[3], `${PATHS[3]}/`]) {
      const { status, body } = await api.get(`${path}?group_id=${group}`);
      expect(status).toBe(200);
      expect(body.map((each: { subject_request_id: string }) => each.subject_request_id)).toEqual([first, second]);
      expect(body[0]).toEqual((await api.get(`${PATHS[3]}/${first}`)).body);
    }
  });

  it('lists a page of the group where one is asked for', async () => {
    const group = randomUUID();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push(await created(3, { group_id: group }));
      api.access.clock.advance(1);
    }
    const listed = async (page: string) =>
      (await api.get(`${PATHS[3]}?group_id=${group}${page}`)).body.map(
        (each: { subject_request_id: string }) => each.subject_request_id,
      );
    expect(await listed('&pageSize=2')).toEqual(ids.slice(0, 2));
    expect(await listed('&pageSize=2&currentPage=3')).toEqual(ids.slice(4));
    expect(await listed('&pageSize=2&currentPage=4')).toEqual([]);
    expect(await listed('&currentPage=1')).toEqual(ids);
    expect(await listed('&currentPage=2')).toEqual([]);
    for (const page of ['&pageSize=0', '&pageSize=1001', '&currentPage=0', '&currentPage=x']) {
      expect((await api.get(`${PATHS[3]}?group_id=${group}${page}`)).status).toBe(400);
    }
  });

  it('lists more than a page where none is asked for', async () => {
    const group = randomUUID();
    const given = { workspaceId: api.workspaceId, groupId: group };
    for (let index = 0; index < 101; index++) await insertRequest(api.access.store, given);
    expect((await api.get(`${PATHS[3]}?group_id=${group}`)).body).toHaveLength(101);
    expect((await api.get(`${PATHS[3]}?group_id=${group}&currentPage=1`)).body).toHaveLength(100);
  });

  it('is an empty list for a group that nobody named', async () => {
    expect(await api.get(`${PATHS[3]}?group_id=nobodys`)).toMatchObject({ status: 200, body: [] });
  });

  it('needs a group', async () => {
    for (const query of ['', '?group_id=']) {
      const { status, body } = await api.get(`${PATHS[3]}${query}`);
      expect([status, body.message]).toEqual([400, expect.stringContaining('group_id')]);
    }
  });
});

describe.each(VERSIONS)('version %i', (version) => {
  it.each([
    ['2026-01-15', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T12:00:00', '2026-01-15T12:00:00.000Z'],
    ['20260115T120000+0100', '2026-01-15T11:00:00.000Z'],
  ])('takes %s as submitted_time', async (time, expected) => {
    const id = await created(version, { submitted_time: time });
    const { row } = await storedRequest(api, id);
    expect(row.submittedOn.toISOString()).toBe(expected);
  });

  it('answers the id as it was sent, and finds it whatever its case', async () => {
    const id = randomUUID().toUpperCase();
    const urls = { status_callback_urls: ['https://good.example/cb'], group_id: `group of ${id}` };
    const path = PATHS[version];
    const made = await api.post(path, BODIES[version]({ subject_request_id: id, ...urls }));
    expect(made).toMatchObject({ status: 201, body: { subject_request_id: id } });
    const told = await api.get(`${path}/${id.toLowerCase()}`);
    expect(told).toMatchObject({ status: 200, body: { subject_request_id: id } });
    if (version === 3) {
      const group = await api.get(`${path}?group_id=${encodeURIComponent(urls.group_id)}`);
      expect(group.body).toEqual([told.body]);
    }
    const { row } = await storedRequest(api, id);
    expect(row.id).toBe(id.toLowerCase());
    const again = await api.post(path, BODIES[version]({ subject_request_id: id.toLowerCase() }));
    expect(again).toMatchObject({ status: 400, body: { message: 'Subject request already exists.' } });
    const gone = await api.delete(`${path}/${id.toLowerCase()}`);
    expect(gone).toMatchObject({ status: 202, body: { subject_request_id: id } });
  });
});

describe('DELETE /requests/{RequestID}', () => {
  it.each(VERSIONS)('version %i cancels what is pending', async (version) => {
    const id = await created(version);
    const { status, body } = await api.delete(`${PATHS[version]}/${id}`);
    expect(status).toBe(202);
    expect(body).toEqual({
      expected_completion_time: null,
      received_time: expect.stringMatching(version === 3 ? /^2026-01-15T12:\S+Z$/ : /^2026-01-15T12:[\d:.]+$/),
      subject_request_id: id,
      controller_id: String(api.workspaceId),
    });
    const after = await api.get(`${PATHS[version]}/${id}`);
    expect(after.body).toMatchObject({ request_status: 'cancelled', expected_completion_time: null });
    const { row } = await storedRequest(api, id);
    expect(row.nextAttemptOn).toBeNull();
  });

  it.each([
    ['in_progress', ['in_progress']],
    ['completed', ['in_progress', 'completed']],
  ] as const)('refuses one that is %s, and it stays so', async (status, moves) => {
    const id = await created();
    await move(id, ...moves);
    const answer = await api.delete(`${PATHS[3]}/${id}`);
    expect([answer.status, answer.body.message]).toEqual([
      400,
      `The request is ${status}; only a pending request can be cancelled.`,
    ]);
    expect((await api.get(`${PATHS[3]}/${id}`)).body.request_status).toBe(status);
  });

  it('refuses one that is cancelled already', async () => {
    const id = await created();
    await api.delete(`${PATHS[3]}/${id}`);
    expect(await api.delete(`${PATHS[3]}/${id}`)).toMatchObject({ status: 400, body: { code: 400 } });
  });

  it('of twelve at once takes one and refuses the others', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await created();
      const answers = await Promise.all(Array.from({ length: 12 }, () => api.delete(`${PATHS[3]}/${id}`)));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(11).fill(400)]);
      const refused = answers.find(({ status }) => status === 400);
      expect(refused?.body.message).toBe('The request is cancelled; only a pending request can be cancelled.');
    }
  });

  it('leaves room for an equal one at once: beside it that is taken or refused, and never put off', async () => {
    for (let round = 0; round < 5; round++) {
      const person = { subject_identities: { email: { value: randomUUID(), encoding: 'raw' } } };
      const first = bodyThree(person) as { readonly subject_request_id: string };
      await api.post(PATHS[3], first);
      const [, ...answers] = await Promise.all([
        api.delete(`${PATHS[3]}/${first.subject_request_id}`),
        ...Array.from({ length: 6 }, () => api.post(PATHS[3], bodyThree(person))),
      ]);
      for (const { status } of answers) expect([201, 409]).toContain(status);
    }
  });

  it('is 404 for an id that is not there', async () => {
    expect(await api.delete(`${PATHS[3]}/${randomUUID()}`)).toMatchObject({ status: 404 });
  });

  it('stands in the audit log', async () => {
    const id = await created();
    await api.delete(`${PATHS[3]}/${id}`);
    const rows = await api.access.store.query(
      'SELECT actor, action FROM audit_log WHERE workspace_id = $1 AND resource = $2',
      [api.workspaceId, `dsr_request/${id}`],
    );
    expect(rows).toEqual([{ actor: api.input.key, action: 'dsr_request.cancelled' }]);
  });
});

describe('GET /discovery/', () => {
  it.each([
    [3, 'opendsr.pem'],
    [2, 'opendsr.pem'],
    [1, 'opengdpr.pem'],
  ])('version %i', async (version, file) => {
    const { status, body } = await api.get(`/dsr/v${version}/discovery/`);
    expect(status).toBe(200);
    expect(body).toEqual({
      api_version: `${version}.0`,
      supported_identities: [
        ...['controller_customer_id', 'email', 'android_advertising_id', 'android_id', 'fire_advertising_id'],
        ...['ios_advertising_id', 'ios_vendor_id', 'microsoft_advertising_id', 'microsoft_publisher_id'],
        ...['roku_advertising_id', 'roku_publisher_id'],
      ].map((identity_type) => ({ identity_type, identity_format: 'raw' })),
      supported_subject_request_types: ['access', 'erasure', 'portability'],
      processor_certificate: `https://penstock.test/certificates/${file}`,
    });
  });
});

describe('callbacks', () => {
  it('are queued with every change of the status, creation included', async () => {
    const id = await created(3, { status_callback_urls: ['https://good.example/cb'] });
    await api.delete(`${PATHS[3]}/${id}`);
    const rows = await api.access.store.query(
      'SELECT request_status, url FROM dsr_callbacks WHERE workspace_id = $1 AND request_id = $2 ORDER BY id',
      [api.workspaceId, id],
    );
    expect(rows).toEqual([
      { request_status: 'pending', url: 'https://good.example/cb' },
      { request_status: 'cancelled', url: 'https://good.example/cb' },
    ]);
  });
});
