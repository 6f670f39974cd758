// The npm package `mparticle`, which speaks for servers in Node.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, runCode } from '../support/apis/client-page.ts';
import { type ClientDaemon, startClientDaemon } from '../support/crashes/client-daemon.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}
type Hear = (error: unknown, data: unknown, response: Answer) => void;

/** What the test itself uses of the package, which has no types. */
interface Package {
  readonly ApiClient: new () => { basePath: string };
  readonly Configuration: new (key: string, secret: string) => object;
  readonly EventsApi: new (
    configuration: object,
    client: object,
  ) => { bulkUploadEvents(batches: object[], hear: Hear): void };
  readonly Batch: new (environment: string) => { addEvent(event: object): void; user_identities: object };
  readonly AppEvent: new (type: string, name: string) => object;
}

const require = createRequire(import.meta.url);
const mParticle = require('mparticle') as Package;

let daemon: ClientDaemon;
beforeAll(async () => {
  daemon = await startClientDaemon(['server']);
}, 900_000);
afterAll(() => daemon[Symbol.asyncDispose]());

test('mparticle sends one batch of many kinds of events, as the page shows', async () => {
  const [code = ''] = codeOf('Node: `mparticle`', 'js', daemon);
  expect(await runCode(code, { require })).toBe('The batch is durable.');
  const [kept] = await daemon.batches();
  expect(kept?.batch).toMatchObject({
    environment: 'production',
    user_identities: { customerid: 'c-1' },
    source_info: { channel: 'server_to_server' },
    events: [
      { event_type: 'custom_event', data: { custom_event_type: 'navigation', event_name: 'Opened' } },
      { event_type: 'screen_view', data: { screen_name: 'Home' } },
      { event_type: 'commerce_event', data: { product_action: { action: 'purchase', total_amount: 19.9 } } },
    ],
  });
  expect(await daemon.profiles()).toEqual([{ plan: 'pro' }]);
});

test('mparticle sends many at once, and is not held up by one that is wrong', async () => {
  const client = new mParticle.ApiClient();
  client.basePath = `${daemon.url}/v2`;
  const api = new mParticle.EventsApi(new mParticle.Configuration(daemon.key, daemon.secret), client);
  const batches = ['b-1', 'b-2', 'b-3'].map((customerid) => {
    const batch = new mParticle.Batch('development');
    batch.user_identities = { customerid };
    batch.addEvent(new mParticle.AppEvent(customerid === 'b-2' ? 'no such type' : 'other', 'Opened'));
    return batch;
  });
  const answer = await new Promise<Answer>((done, fail) => {
    api.bulkUploadEvents(batches, (error, _data, response) => (error === null ? done(response) : fail(error)));
  });
  expect([answer.status, answer.text]).toEqual([202, '']);
  const kept = (await daemon.batches())
    .map(({ batch }) => batch)
    .filter(({ environment }) => environment === 'development');
  expect(kept.map(({ user_identities }) => user_identities)).toEqual([{ customerid: 'b-1' }, { customerid: 'b-3' }]);
});
