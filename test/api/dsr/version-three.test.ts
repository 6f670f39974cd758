// Each field of the create-request body of version 3 (docs/spec/data-subject-requests.md#request-body-of-version-3). A
// refused request leaves nothing behind, and each request is about another person, so one daemon receives them all.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALIAS, bodyThree, DOMAIN, type DsrApi, openDsrApi, somebody } from '../../support/apis/dsr-api.ts';
import { storedRequest } from '../../support/apis/dsr-stored.ts';
import { EXTENSION_IDENTITIES, TOP_IDENTITIES } from '../../support/people/dsr-identities.ts';

const REQUESTS = '/dsr/v3/requests';
const OURS = `opendsr.${DOMAIN}`;
const raw = (value: unknown) => ({ value, encoding: 'raw' });
const HOUR_MS = 3_600_000;

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const create = (rest: object = {}) => api.post(`${REQUESTS}/`, bodyThree(rest));
/** A request with nothing but our extension. */
const extended = (extension: object, rest: object = {}) =>
  create({ subject_identities: undefined, extensions: { [OURS]: extension }, ...rest });
const subjectOf = async (answer: Awaited<ReturnType<typeof create>>) =>
  (await storedRequest(api, answer.body.subject_request_id)).subject;

describe('POST /requests/', () => {
  it('answers 201 with when it came, when it will be over, and the request in base64', async () => {
    const body = bodyThree();
    const { status, body: answer } = await api.post(`${REQUESTS}/`, body);
    expect(status).toBe(201);
    expect(answer).toEqual({
      // received at noon of the 15th: 7 days, 48 hours, and on to midnight
      expected_completion_time: '2026-01-25T00:00:00.000Z',
      received_time: '2026-01-15T12:00:00.000Z',
      encoded_request: Buffer.from(JSON.stringify(body)).toString('base64'),
      subject_request_id: body.subject_request_id,
      controller_id: String(api.workspaceId),
    });
  });

  it('needs the header Content-Type: application/json', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect(await api.post(REQUESTS, JSON.stringify(bodyThree()), { headers })).toMatchObject({ status: 415 });
  });

  it('passes over fields that the specification does not know', async () => {
    expect(await create({ comment: 'from the web form' })).toMatchObject({ status: 201 });
  });
});

describe('subject_identities', () => {
  it.each(TOP_IDENTITIES)('%s means %s', async (name, type) => {
    const value = somebody();
    const answer = await create({ subject_identities: { [name]: raw(value) } });
    expect(await subjectOf(answer)).toEqual({ identities: [{ name, type, value }], mpids: [] });
  });

  it.each(EXTENSION_IDENTITIES)('%s in the extension means %s', async (name, type) => {
    const value = somebody();
    const answer = await extended({ subject_identities: { [name]: raw(value) } });
    expect(await subjectOf(answer)).toEqual({ identities: [{ name, type, value }], mpids: [] });
  });

  it('stands beside that of the extension, and values are trimmed', async () => {
    const [email, phone] = [somebody(), somebody()];
    const answer = await create({
      subject_identities: { email: raw(` ${email} `) },
      extensions: { [OURS]: { subject_identities: { mobile_number: raw(phone) } } },
    });
    expect((await subjectOf(answer))?.identities.map(({ name, value }) => [name, value])).toEqual([
      ['email', email],
      ['mobile_number', phone],
    ]);
  });

  it('may be missing where the extension names the person, also by a domain that is taken as ours', async () => {
    const extension = { subject_identities: { other: raw(somebody()) } };
    expect(await extended(extension)).toMatchObject({ status: 201 });
    const other = { subject_identities: { other: raw(somebody()) } };
    const extensions = { [`opendsr.${ALIAS}`]: other };
    expect(await create({ subject_identities: undefined, extensions })).toMatchObject({ status: 201 });
  });

  it('has at most 50 entries', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`type${index}`, raw('x')]));
    const { status, body } = await create({ subject_identities: many });
    expect(status).toBe(400);
    expect(body.message).toContain('must have at most 50 fields');
  });
});

describe('mpid', () => {
  it.each(['1', '-1', '9223372036854775807', '-9223372036854775808'])('%s keeps all its digits', async (digits) => {
    const answer = await extended({ subject_identities: { mpid: raw(digits) } });
    expect(await subjectOf(answer)).toEqual({ identities: [], mpids: [BigInt(digits)] });
  });

  it.each(['', 'x', '1.5', '9223372036854775808'])('%j is refused', async (value) => {
    const { status, body } = await extended({ subject_identities: { mpid: raw(value) } });
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('mpid.value: must be an MPID')]);
  });

  it('must be the only identity of the request, at top level and in the extension', async () => {
    const mpid = { subject_identities: { mpid: raw('77') } };
    const both = { subject_identities: { mpid: raw('77'), other: raw('x') } };
    for (const answer of [await create({ extensions: { [OURS]: mpid } }), await extended(both)]) {
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('An mpid was supplied together with other identities');
    }
  });
});

describe('skip_waiting_period', () => {
  const startOf = async (answer: Awaited<ReturnType<typeof create>>) => {
    const { row } = await storedRequest(api, answer.body.subject_request_id);
    return (row.startsOn.getTime() - row.receivedOn.getTime()) / HOUR_MS;
  };

  it('is false by default: an erasure waits for 7 days', async () => {
    expect(await startOf(await create())).toBe(7 * 24);
    expect(await startOf(await create({ skip_waiting_period: false }))).toBe(7 * 24);
  });

  it('true at top level or in the extension lets it begin within 24 hours', async () => {
    expect(await startOf(await create({ skip_waiting_period: true }))).toBe(23);
    expect(await startOf(await create({ extensions: { [OURS]: { skip_waiting_period: true } } }))).toBe(23);
    const { body } = await create({ skip_waiting_period: true });
    expect(body.expected_completion_time).toBe('2026-01-19T00:00:00.000Z');
  });

  it('in both places must be the same', async () => {
    const extensions = { [OURS]: { skip_waiting_period: true } };
    expect(await create({ skip_waiting_period: true, extensions })).toMatchObject({ status: 201 });
    const { status, body } = await create({ skip_waiting_period: false, extensions });
    expect([status, body.message]).toEqual([400, expect.stringContaining('false here and true in the extension')]);
  });
});

describe('what is optional', () => {
  it('may be null', async () => {
    const nulls = { skip_waiting_period: null, api_version: null, group_id: null, extensions: null };
    expect(await create({ ...nulls, status_callback_urls: null })).toMatchObject({ status: 201 });
  });

  it('is kept', async () => {
    const urls = ['https://good.example/a', 'https://good.example/b'];
    const given = {
      subject_request_type: 'portability',
      regulation: 'ccpa',
      group_id: 'g',
      submitted_time: '2025-12-31',
    };
    const at = '2025-12-31T23:00:00+01:00';
    const answer = await create({ ...given, submitted_time: at, api_version: '3.0', status_callback_urls: urls });
    const { row } = await storedRequest(api, answer.body.subject_request_id);
    expect(row).toMatchObject({
      type: 'portability',
      regulation: 'ccpa',
      groupId: 'g',
      callbackUrls: urls,
      version: 3,
    });
    expect(row.submittedOn.toISOString()).toBe('2025-12-31T22:00:00.000Z');
    expect(row.createdBy).toBe(api.input.key);
  });

  it('access and portability start at once', async () => {
    for (const type of ['access', 'portability']) {
      const answer = await create({ subject_request_type: type });
      const { row } = await storedRequest(api, answer.body.subject_request_id);
      expect(row.startsOn).toEqual(row.receivedOn);
      expect(answer.body.expected_completion_time).toBe('2026-01-18T00:00:00.000Z');
    }
  });
});

it('keeps identities and body encrypted, and nothing of them in the clear', async () => {
  const value = somebody();
  const id = randomUUID();
  await create({ subject_request_id: id, subject_identities: { email: raw(value) } });
  const [row] = await api.access.store.query<{ text: string }>(
    'SELECT r::text AS text FROM dsr_requests r WHERE workspace_id = $1 AND id = $2',
    [api.workspaceId, id],
  );
  expect(row?.text).toContain(id);
  expect(row?.text).not.toContain(value);
  expect(row?.text).not.toContain(Buffer.from(value).toString('hex'));
});
