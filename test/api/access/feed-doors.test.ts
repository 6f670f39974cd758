// The key and secret of a feed open the real doors of events and identity, which record whose call it was.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFeed } from '../../../src/access/feeds/create-feed.ts';
import { switchFeed } from '../../../src/access/index.ts';
import { type EventsApi, openEventsApi } from '../../support/apis/events-api.ts';
import { type IdentityApi, openIdentityApi, sdkBody } from '../../support/apis/identity-api.ts';
import { testKeyRing } from '../../support/apis/test-access.ts';

type Rig = Pick<EventsApi['access'], 'store' | 'clock'>;

/** A feed of the workspace, as its one answer gives it to whoever made it. */
async function someFeed(access: Rig, workspaceId: EventsApi['workspaceId']) {
  const caller = { workspaceId, actor: 'tester' };
  const body = { module_name: 'alpha', name: 'warehouse' };
  const { feed, secret } = await createFeed({ ...access, keyRing: testKeyRing() }, caller, body);
  return { feed, input: { key: feed.key, secret: secret.reveal() } };
}

describe('events', () => {
  let api: EventsApi;
  beforeAll(async () => {
    api = await openEventsApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it('take a batch with the key and secret of a feed, which stands on it; a wrong secret is 403', async () => {
    const { feed, input } = await someFeed(api.access, api.workspaceId);
    const batch = {
      ...{ environment: 'production', user_identities: { customer_id: 'c-1' } },
      events: [{ event_type: 'custom_event', data: { event_name: 'seen', custom_event_type: 'other' } }],
    };
    expect((await api.post('/v2/events', batch, { input })).status).toBe(202);
    expect((await api.post('/v2/bulkevents', [batch], { input })).status).toBe(202);
    const wrong = { ...input, secret: 'wrong' };
    expect((await api.post('/v2/events', batch, { input: wrong })).status).toBe(403);
    const kept = await api.access.store.query('SELECT workspace_id, input_key FROM event_batches');
    const one = { workspace_id: api.workspaceId, input_key: feed.key };
    expect(kept).toEqual([one, one]);
  });
});

describe('identity', () => {
  let api: IdentityApi;
  beforeAll(async () => {
    api = await openIdentityApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  it('does for a feed what it does for a server key: searches by every type, resolves, modifies', async () => {
    const { feed, input } = await someFeed(api.access, api.workspaceId);
    await api.setUp({ identity: { priority: ['customer_id'] } });
    const { status, body } = await api.post(
      '/v1/identify?return_matches=true',
      sdkBody({ customerid: 'c-1', google: 'g' }),
      input,
    );
    expect(status).toBe(200);
    const found = await api.post('/v1/search?return_matches=true', sdkBody({ customerid: 'c-1' }), input);
    expect(found.body).toMatchObject({ mpid: body.mpid, matched_identities: { customerid: 'c-1' } });
    await api.setUp({ identity: { priority: ['customer_id', 'email'] } });
    const anonymous = (await api.post('/v1/identify', sdkBody({ email: 'a@x', google: 'h' }), input)).body.mpid;
    expect((await api.post('/v1/search', sdkBody({ google: 'h' }), input)).body.mpid).toBe(anonymous);
    const change = { identity_type: 'google', old_value: 'g', new_value: 'g2' };
    const modified = await api.post(`/v1/${body.mpid}/modify`, { ...sdkBody({}), identity_changes: [change] }, input);
    expect([modified.status, modified.body.change_results]).toMatchObject([200, [{ identity_type: 'google' }]]);
    await switchFeed(
      { ...api, keyRing: testKeyRing() },
      { ...feed, isActive: false, workspaceId: api.workspaceId, actor: 'cli:tester' },
    );
    api.clock.advance(5000);
    const refused = await api.post('/v1/search', sdkBody({ customerid: 'c-1' }), input);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('feed of this key is not active')]);
  });
});
