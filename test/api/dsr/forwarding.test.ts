// The status of a request at its partners (docs/spec/data-subject-requests.md#forwarding-entry).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPartner } from '../../../src/dsr/forwarding/save-partner.ts';
import { type DsrApi, openDsrApi } from '../../support/apis/dsr-api.ts';

const SUBMITTED = '2026-01-15T11:00:00Z';
const SENT = { domain: 'mail.example.com', name: 'The mail house', status: 'pending', status_message: '' };
const SKIPPED = {
  ...{ domain: 'ads.example.com', name: 'The ads' },
  ...{ status: 'skipped', status_message: 'No matching identities available.' },
};

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
  const caller = { actor: 'tester', workspaceId: api.workspaceId };
  const outgoing = { whyRefused: async () => undefined };
  const partner = { url: 'https://good.example/', auth: { type: 'none' as const } };
  for (const body of [
    { ...partner, id: 'mail', name: SENT.name, domain: SENT.domain, identity_types: ['email'] },
    { ...partner, id: 'ads', name: SKIPPED.name, domain: SKIPPED.domain, identity_types: ['android_id'] },
  ]) {
    await createPartner({ ...api.access, outgoing }, caller, body);
  }
});
afterAll(() => api[Symbol.asyncDispose]());

async function create(type: string, group?: string): Promise<string> {
  const id = randomUUID();
  const { status } = await api.post('/dsr/v3/requests', {
    ...{ regulation: 'gdpr', subject_request_id: id, subject_request_type: type, submitted_time: SUBMITTED },
    subject_identities: { email: { value: `${id}@example.com`, encoding: 'raw' } },
    ...(group !== undefined && { group_id: group }),
  });
  expect(status).toBe(201);
  return id;
}

test('the status of an erasure tells of each partner from its receipt on, alone, in a list and after a cancel', async () => {
  const id = await create('erasure', 'group-1');
  const path = `/dsr/v3/requests/${id}`;
  expect((await api.get(path)).body.extensions).toEqual([SKIPPED, SENT]);
  expect((await api.get('/dsr/v3/requests?group_id=group-1')).body[0].extensions).toEqual([SKIPPED, SENT]);
  await api.delete(path);
  const [skipped, stopped] = (await api.get(path)).body.extensions;
  expect(skipped).toEqual(SKIPPED);
  expect(stopped).toMatchObject({ status: 'skipped', status_message: expect.stringContaining('cancelled') });
});

test('versions 1 and 2 tell of no partner, whatever came in', async () => {
  const id = await create('erasure');
  expect((await api.get(`/dsr/v2/requests/${id}`)).body.extensions).toBeNull();
  expect((await api.get(`/dsr/v1/opengdpr_requests/${id}`)).body.extensions).toBeNull();
});

test('an access request has no extensions', async () => {
  expect((await api.get(`/dsr/v3/requests/${await create('access')}`)).body.extensions).toBeNull();
});
