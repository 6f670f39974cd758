// Versions 1 and 2, sentence by sentence (docs/spec/data-subject-requests.md#versions-1-and-2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOne, bodyThree, bodyTwo, DOMAIN, type DsrApi, openDsrApi, somebody } from '../../support/apis/dsr-api.ts';
import { storedRequest } from '../../support/apis/dsr-stored.ts';
import { EXTENSION_IDENTITIES, TOP_IDENTITIES } from '../../support/people/dsr-identities.ts';

const identity = (identity_type: string, identity_value: unknown = 'x', identity_format: unknown = 'raw') => ({
  ...{ identity_type, identity_value, identity_format },
});

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe.each([
  { version: 2, path: '/dsr/v2/requests', body: bodyTwo, ours: `opendsr.${DOMAIN}`, other: `opengdpr.${DOMAIN}` },
  {
    version: 1,
    path: '/dsr/v1/opengdpr_requests',
    body: bodyOne,
    ours: `opengdpr.${DOMAIN}`,
    other: `opendsr.${DOMAIN}`,
  },
])('version $version', ({ version, path, body, ours, other }) => {
  const create = (rest: object = {}) => api.post(path, body(rest));
  const extended = (extension: object) => create({ subject_identities: undefined, extensions: { [ours]: extension } });
  const subjectOf = async (answer: Awaited<ReturnType<typeof create>>) =>
    (await storedRequest(api, answer.body.subject_request_id)).subject;

  it('answers 201 with times that have no zone', async () => {
    const sent = body();
    const { status, body: answer } = await api.post(`${path}/`, sent);
    expect(status).toBe(201);
    expect(answer).toEqual({
      expected_completion_time: '2026-01-18T00:00:00.000',
      received_time: '2026-01-15T12:00:00.000',
      encoded_request: Buffer.from(JSON.stringify(sent)).toString('base64'),
      subject_request_id: sent.subject_request_id,
      controller_id: String(api.workspaceId),
    });
  });

  it.each(TOP_IDENTITIES)('%s means %s', async (name, type) => {
    const value = somebody();
    const answer = await create({ subject_identities: [identity(name, value)] });
    expect(await subjectOf(answer)).toEqual({ identities: [{ name, type, value }], mpids: [] });
  });

  it.each(EXTENSION_IDENTITIES)('%s needs the extension, and means %s', async (name, type) => {
    const value = somebody();
    const answer = await extended({ identities: [{ identity_type: name, identity_value: value }] });
    expect(await subjectOf(answer)).toEqual({ identities: [{ name, type, value }], mpids: [] });
    expect(await create({ subject_identities: [identity(name)] })).toMatchObject({ status: 400 });
  });

  it('takes several identities of one type', async () => {
    const [first, second] = [somebody(), somebody()];
    const answer = await create({ subject_identities: [identity('email', first), identity('email', second)] });
    expect((await subjectOf(answer))?.identities.map(({ value }) => value)).toEqual([first, second]);
  });

  it('takes several mpids, beside identities too, with all their digits', async () => {
    const base = 9_007_199_254_740_993n * BigInt(version);
    const digits = `[${base}, ${base + 1n}, "${base + 2n}"]`;
    const text = JSON.stringify(body({ extensions: { [ours]: { mpids: '@' } } })).replace('"@"', digits);
    const answer = await api.post(path, text);
    expect((await subjectOf(answer))?.mpids).toEqual([base, base + 1n, base + 2n]);
    expect((await subjectOf(answer))?.identities).toHaveLength(1);
  });

  it('has at most 50 identities, wherever they stand', async () => {
    const emails = (count: number) => Array.from({ length: count }, () => identity('email', somebody()));
    expect(await create({ subject_identities: emails(50) })).toMatchObject({ status: 201 });
    expect(await create({ subject_identities: emails(51) })).toMatchObject({ status: 400 });
    const extension = { mpids: [1, 2, 3], identities: [{ identity_type: 'other', identity_value: 'x' }] };
    const spread = await create({ subject_identities: emails(47), extensions: { [ours]: extension } });
    expect([spread.status, spread.body.message]).toEqual([400, expect.stringContaining('51 identities; at most 50')]);
  });

  it('passes over group_id and skip_waiting_period, which it does not have', async () => {
    const answer = await create({ group_id: 'g', skip_waiting_period: true, subject_request_type: 'erasure' });
    const { row } = await storedRequest(api, answer.body.subject_request_id);
    expect(row).toMatchObject({ groupId: null, skipWaitingPeriod: false, version });
    expect(row.startsOn.getTime() - row.receivedOn.getTime()).toBe(7 * 86_400_000);
  });

  it.each([
    [{ subject_identities: undefined }, 'must contain at least one identity of the person'],
    [{ subject_identities: [] }, 'must contain at least one identity of the person'],
    [{ subject_identities: { email: 'a@x' } }, 'subject_identities: must be a list'],
    [{ subject_identities: [{ identity_value: 'x', identity_format: 'raw' }] }, '[0].identity_type: is required'],
    [{ subject_identities: [{ identity_type: 'email', identity_format: 'raw' }] }, '[0].identity_value: is required'],
    [{ subject_identities: [{ identity_type: 'email', identity_value: 'x' }] }, '[0].identity_format: is required'],
    [{ subject_identities: [identity('email', 'x', 'md5')] }, '[0].identity_format: must be raw'],
    [{ subject_identities: [identity('mpid', '1')] }, '[0].identity_type: must be one of controller_customer_id'],
    [{ subject_identities: [identity('email', '')] }, 'subject_identities[0].identity_value: is empty'],
    [{ extensions: { [ours]: { mpids: 7 } } }, 'mpids: must be a list'],
    [{ extensions: { [ours]: { mpids: [1.5] } } }, 'mpids[0]'],
    [{ extensions: { [ours]: { mpids: ['9223372036854775808'] } } }, 'mpids[0]: must be an MPID'],
    [{ extensions: { [ours]: { identities: [{ identity_type: 'email', identity_value: 'x' }] } } }, 'identity_type'],
    [{ extensions: { [other]: {} } }, `use ${ours}`],
    [{ api_version: '3.0' }, 'api_version: must be'],
    [{ subject_request_id: '4711' }, 'subject_request_id: must be a UUID of version 4'],
    [{ subject_request_type: 'deletion' }, 'subject_request_type: must be one of'],
    [{ submitted_time: 'soon' }, 'submitted_time: must be'],
    [{ status_callback_urls: ['http://good.example'] }, 'status_callback_urls[0]: '],
  ])('refuses %j', async (rest, words) => {
    const { status, body: answer } = await create(rest);
    expect([status, answer.code, answer.errors[0].domain]).toEqual([400, 400, 'Validation']);
    expect(answer.message).toContain(words);
  });

  it('does not list requests: groups are of version 3', async () => {
    expect(await api.get(`${path}?group_id=g`)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  });
});

describe('what differs between the two', () => {
  it('regulation belongs to version 2; in version 1 a request is marked neither', async () => {
    const two = await api.post('/dsr/v2/requests', bodyTwo({ regulation: undefined }));
    expect([two.status, two.body.message]).toEqual([400, 'regulation: is required']);
    expect(await api.post('/dsr/v2/requests', bodyTwo({ regulation: 'pipeda' }))).toMatchObject({ status: 400 });
    const ccpa = await api.post('/dsr/v2/requests', bodyTwo({ regulation: 'ccpa' }));
    expect((await storedRequest(api, ccpa.body.subject_request_id)).row.regulation).toBe('ccpa');
    const one = await api.post('/dsr/v1/opengdpr_requests', bodyTwo({ regulation: 'ccpa' }));
    expect((await storedRequest(api, one.body.subject_request_id)).row.regulation).toBeNull();
  });

  it('version 2 takes api_version 2.0 and 1.0, version 1 only its own', async () => {
    const statuses = async (path: string, make: typeof bodyTwo) => [
      (await api.post(path, make({ api_version: '2.0' }))).status,
      (await api.post(path, make({ api_version: '1.0' }))).status,
    ];
    expect(await statuses('/dsr/v2/requests', bodyTwo)).toEqual([201, 201]);
    expect(await statuses('/dsr/v1/opengdpr_requests', bodyTwo)).toEqual([400, 201]);
  });

  it('the routes of one are not those of another', async () => {
    expect(await api.post('/dsr/v1/requests', bodyOne())).toMatchObject({ status: 404, body: { code: 404 } });
    expect(await api.post('/dsr/v2/opengdpr_requests', bodyTwo())).toMatchObject({ status: 404 });
    expect(await api.post('/dsr/v3/opengdpr_requests', bodyThree())).toMatchObject({ status: 404 });
  });
});
