// The values that a create-request body of version 3 refuses, field by field.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALIAS, bodyThree, DOMAIN, type DsrApi, openDsrApi } from '../../support/apis/dsr-api.ts';

const REQUESTS = '/dsr/v3/requests';
const OURS = `opendsr.${DOMAIN}`;
const raw = (value: unknown) => ({ value, encoding: 'raw' });

// what is refused leaves nothing behind, so one daemon hears it all
let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const create = (rest: object = {}) => api.post(REQUESTS, bodyThree(rest));

describe('a wrong value is 400, with its path', () => {
  it.each([
    ['regulation', { regulation: undefined }, 'regulation: is required'],
    ['regulation', { regulation: 'lgpd' }, 'regulation: must be one of gdpr, ccpa'],
    ['subject_request_id', { subject_request_id: undefined }, 'subject_request_id: is required'],
    ['subject_request_id', { subject_request_id: 'a7551968-d5d6-14b2-9831-815ac9017798' }, 'a UUID of version 4'],
    ['subject_request_id', { subject_request_id: '4711' }, 'a UUID of version 4'],
    ['subject_request_type', { subject_request_type: undefined }, 'subject_request_type: is required'],
    ['subject_request_type', { subject_request_type: 'rectification' }, 'one of access, portability, erasure'],
    ['submitted_time', { submitted_time: undefined }, 'submitted_time: is required'],
    ['submitted_time', { submitted_time: 'yesterday' }, 'submitted_time: must be an ISO 8601 date or time'],
    ['skip_waiting_period', { skip_waiting_period: 'yes' }, 'skip_waiting_period: must be true or false'],
    [
      'subject_identities',
      { subject_identities: undefined },
      'subject_identities: must contain at least one identity of the person',
    ],
    [
      'subject_identities',
      { subject_identities: {} },
      'subject_identities: must contain at least one identity of the person',
    ],
    ['subject_identities', { subject_identities: [] }, 'subject_identities: must be an object'],
    [
      'a type nobody knows',
      { subject_identities: { passport: raw('X') } },
      'subject_identities.passport: is not a field',
    ],
    [
      'a type of the extension',
      { subject_identities: { other: raw('X') } },
      'subject_identities.other: is not a field',
    ],
    ['an mpid at top level', { subject_identities: { mpid: raw('1') } }, 'subject_identities.mpid: is not a field'],
    [
      'no encoding',
      { subject_identities: { email: { value: 'a@x' } } },
      'subject_identities.email.encoding: is required',
    ],
    [
      'another encoding',
      { subject_identities: { email: { value: 'a@x', encoding: 'sha256' } } },
      'subject_identities.email.encoding: must be raw',
    ],
    ['no value', { subject_identities: { email: { encoding: 'raw' } } }, 'subject_identities.email.value: is required'],
    [
      'a value that is no text',
      { subject_identities: { email: raw(7) } },
      'subject_identities.email.value: must be text',
    ],
    ['an empty value', { subject_identities: { email: raw(' ') } }, 'subject_identities.email.value: is empty'],
    ['a long value', { subject_identities: { email: raw('é'.repeat(513)) } }, 'longer than 1024 bytes'],
    ['U+0000', { subject_identities: { email: raw('a\0b') } }, 'U+0000'],
    [
      'the id of no device',
      { subject_identities: { android_id: raw('00000000-0000-0000-0000-000000000000') } },
      'subject_identities.android_id.value: is the all-zero id',
    ],
    [
      'two values for one type',
      { subject_identities: { roku_publishing_id: raw('r-1'), roku_publisher_id: raw('r-2') } },
      'subject_identities.roku_publisher_id.value: is another spelling of roku_publishing_id',
    ],
    ['api_version', { api_version: '2.0' }, 'api_version: must be 3.0'],
    ['status_callback_urls', { status_callback_urls: 'https://good.example' }, 'status_callback_urls: must be a list'],
    ['status_callback_urls', { status_callback_urls: [7] }, 'status_callback_urls[0]: must be text'],
    [
      'a URL that may not be called',
      { status_callback_urls: ['https://good.example/', 'https://bad.example/'] },
      'status_callback_urls[1]: ',
    ],
    ['group_id', { group_id: 7 }, 'group_id: must be text'],
    [
      'a group that names the person',
      { group_id: 'About ANN.group@Example.org', subject_identities: { email: raw('ann.group@example.org') } },
      'group_id: contains an identity of the request',
    ],
    [
      'a group that is a short identity',
      { group_id: ' x42 ', subject_identities: { controller_customer_id: raw('X42') } },
      'use a name without personal data',
    ],
    [
      'a group that is the mpid',
      {
        group_id: '4711',
        subject_identities: null,
        extensions: { [OURS]: { subject_identities: { mpid: raw('4711') } } },
      },
      'group_id: contains an identity of the request',
    ],
    ['extensions', { extensions: [] }, 'extensions: must be an object'],
    ['another extension', { extensions: { 'opendsr.else.example': {} } }, `use ${OURS}`],
    ['the name of version 1', { extensions: { [`opengdpr.${DOMAIN}`]: {} } }, `use ${OURS}`],
    [
      'an identity in the extension that belongs at top level',
      { extensions: { [OURS]: { subject_identities: { email: raw('a@x') } } } },
      'subject_identities.email: is not a field',
    ],
    ['two extensions of ours', { extensions: { [OURS]: {}, [`opendsr.${ALIAS}`]: {} } }, `means the same as ${OURS}`],
  ])('%s', async (_name, rest, words) => {
    const { status, body } = await create(rest);
    expect(status).toBe(400);
    const [first] = body.errors;
    expect(body).toEqual({
      code: 400,
      message: expect.any(String),
      errors: expect.arrayContaining([
        { domain: 'Validation', reason: 'VALIDATION_FAILED', message: expect.any(String) },
      ]),
    });
    expect(first.message).toContain(words);
  });

  it('lists all that is wrong', async () => {
    const { body } = await create({ regulation: 'x', submitted_time: 7 });
    expect(body.errors).toHaveLength(2);
  });

  it('names malformed JSON', async () => {
    expect(await api.post(REQUESTS, '{')).toMatchObject({ status: 400, body: { code: 400 } });
  });
});
