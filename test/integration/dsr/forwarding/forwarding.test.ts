// Erasures of version 3 are forwarded to partners (D-068), over real TLS.
import { verify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProcessor } from '../../../../src/dsr/certificates/create-processor.ts';
import type { PartnerAuth } from '../../../../src/dsr/forwarding/contract.ts';
import { readForwarding } from '../../../../src/dsr/forwarding/read-forwarding.ts';
import { createPartner } from '../../../../src/dsr/forwarding/save-partner.ts';
import { ADA, type Forwarding, openForwarding } from '../../../support/apis/forwarding.ts';
import { someWorkspace } from '../../../support/apis/test-access.ts';
import { outgoingToPartner } from '../../../support/apis/test-partner.ts';

let world: Forwarding;
beforeAll(async () => {
  world = await openForwarding();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.reset());

describe('an erasure of version 3', () => {
  test('is pending for each partner from its receipt on, and then sent', async () => {
    await world.addPartner('mail');
    await world.addPartner('ads');
    const request = await world.receive();
    const found = await readForwarding(world.access.store, {
      workspaceId: world.caller.workspaceId,
      ids: [request.id],
    });
    expect(found.get(request.id)).toEqual([
      { domain: 'ads.example.com', name: 'The ads', status: 'pending', status_message: '' },
      { domain: 'mail.example.com', name: 'The mail', status: 'pending', status_message: '' },
    ]);
    await world.send(request);
    expect(await world.extensions(request)).toEqual([
      ['sent', ''],
      ['sent', ''],
    ]);
    expect(world.partner.received).toHaveLength(2);
    await world.send(request);
    expect(world.partner.received).toHaveLength(2);
  });

  test('arrives as a request of version 3, with the identities that the partner takes, under its names', async () => {
    await world.addPartner('mail', { identity_types: ['email', 'other2', 'roku_publisher_id', 'mobile_number'] });
    const request = await world.receive();
    await world.send(request);
    const [received] = world.partner.received;
    expect(received).toMatchObject({
      method: 'POST',
      path: '/requests',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(received?.body ?? '')).toEqual({
      regulation: 'gdpr',
      subject_request_id: request.id,
      subject_request_type: 'erasure',
      submitted_time: request.submittedOn.toISOString(),
      subject_identities: {
        email: { value: 'Ada@example.com', encoding: 'raw' },
        other2: { value: 'o+2/=', encoding: 'raw' },
        roku_publisher_id: { value: 'r-1', encoding: 'raw' },
      },
      api_version: '3.0',
    });
  });

  test('is signed over the very bytes', async () => {
    await world.addPartner();
    await world.send(await world.receive());
    const { headers = {}, body: text = '' } = world.partner.received[0] ?? {};
    expect(headers['x-opendsr-processor-domain']).toBe('opendsr.penstock.test');
    const { certificate } = await createProcessor({
      ...world.access,
      log: world.deps.log,
      domain: 'penstock.test',
    }).current();
    const key = new X509Certificate(certificate).publicKey;
    const signature = Buffer.from(String(headers['x-opendsr-signature']), 'base64');
    expect(verify('sha256', Buffer.from(text), key, signature)).toBe(true);
  });

  test.each<readonly [PartnerAuth, string, string]>([
    [
      { type: 'basic', username: 'u', password: 'pä' },
      'authorization',
      `Basic ${Buffer.from('u:pä').toString('base64')}`,
    ],
    [{ type: 'bearer', token: 't-1' }, 'authorization', 'Bearer t-1'],
    [{ type: 'header', name: 'X-Api-Key', value: 'k-1' }, 'x-api-key', 'k-1'],
  ])('signs in by %o', async (auth, header, value) => {
    await world.addPartner('mail', { auth });
    await world.send(await world.receive());
    expect(world.partner.received[0]?.headers[header]).toBe(value);
  });

  test('is skipped where the partner takes none of its identities', async () => {
    await world.addPartner('mail', { identity_types: ['mobile_number'] });
    const request = await world.receive();
    expect(await world.extensions(request)).toEqual([['skipped', 'No matching identities available.']]);
    await world.send(request);
    expect(world.partner.received).toEqual([]);
    expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
  });

  test('that names an MPID alone is skipped', async () => {
    await world.addPartner();
    expect(await world.extensions(await world.receive({ identities: [], mpids: [5n] }))).toEqual([
      ['skipped', 'No matching identities available.'],
    ]);
  });

  test('is forwarded to nobody where there is no world.partner, or only another workspace’s', async () => {
    const other = { actor: 'x', workspaceId: (await someWorkspace(world.access)).workspaceId };
    await createPartner({ ...world.access, outgoing: outgoingToPartner() }, other, world.bodyOf('mail'));
    expect(await world.extensions(await world.receive())).toBeUndefined();
  });

  test('is not forwarded to a partner that comes later', async () => {
    const request = await world.receive();
    await world.addPartner();
    await world.send(request);
    expect(world.partner.received).toEqual([]);
  });

  test('tells of its forwarding in its callbacks', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.move(request, 'cancelled');
    const [callback] = await world.access.store.query<{ snapshot: string }>('SELECT snapshot FROM dsr_callbacks');
    expect(JSON.parse(callback?.snapshot ?? '').forwarding).toMatchObject([
      { domain: 'mail.example.com', status: 'skipped' },
    ]);
  });
});

test.each([
  ['access', { type: 'access' }],
  ['portability', { type: 'portability' }],
  ['an erasure of version 2', { version: 2 }],
  ['an erasure of version 1', { version: 1 }],
])('%s is not forwarded', async (_what, more) => {
  await world.addPartner();
  expect(await world.extensions(await world.receive(ADA, more))).toBeUndefined();
});
