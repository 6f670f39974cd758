// A visitor with nothing but the public key of a web page claims to be somebody else; then a privacy officer asks for the file
// of an address that only such a key brought, and of the person whose identities were taken.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInputCredential, type InputUse } from '../../src/access/index.ts';
import type { App } from '../../src/app.ts';
import { bodyThree, bodyTwo } from '../support/apis/dsr-api.ts';
import { sdkBody } from '../support/apis/identity-api.ts';
import { basicOf, type TestInput } from '../support/apis/input-probes.ts';
import { ACTOR, someWorkspace } from '../support/apis/test-access.ts';
import { until } from '../support/clocks/until.ts';
import { type CliStore, openCliStore } from '../support/runner/cli-store.ts';
import { readZip } from '../support/runner/read-zip.ts';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  readonly body: any;
}

let cli: CliStore;
let app: App;
let [server, web, officer]: TestInput[] = [];

beforeAll(async () => {
  cli = await openCliStore();
  app = await cli.startApp();
  const { workspaceId } = await someWorkspace(app);
  const input = async (...uses: InputUse[]): Promise<TestInput> => {
    const made = await createInputCredential(app, { workspaceId, name: uses.join(), uses, actor: ACTOR });
    return { key: made.key, secret: made.secret.reveal() };
  };
  server = await input('server');
  web = await input('web', 'identity_key_only', 'write_key');
  officer = await input('dsr');
});
afterAll(() => cli[Symbol.asyncDispose]());

const basic = ({ key, secret } = { key: '', secret: '' }) => ({ authorization: basicOf(key, secret) });

async function call(path: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Answer> {
  const sent = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(new URL(path, app.url), {
    headers: sent,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const shown = (name: string) => ({ event_type: 'screen_view', data: { screen_name: name } });

/** A person whom the shop's own server knows by login and address, with secrets of its own in profile and events. */
async function somebody(name: string) {
  const secrets = [`diagnosis of ${name}`, `page of ${name}`, `phone of ${name}`] as const;
  const [diagnosis, page, mobile_number] = secrets;
  const user_identities = { customer_id: name, email: `${name}@example.org`, mobile_number };
  const body = { user_identities, user_attributes: { diagnosis }, events: [shown(page)] };
  expect(await call('/v2/events', basic(server), body)).toMatchObject({ status: 202 });
  const found = await call('/v1/search', basic(server), sdkBody({ customerid: name }));
  return { name, email: user_identities.email, mpid: String(found.body.mpid), secrets };
}
type Somebody = Awaited<ReturnType<typeof somebody>>;

const keyOnly = (verb: string, body: object) => call(`/v1/${verb}`, { 'x-mp-key': web?.key ?? '' }, body);
const webBatch = (body: object) => call(`/v3/JS/${web?.key}/events`, {}, { events: [shown('Home')], ...body });
const analytics = (body: object) =>
  call('/analytics/v1/identify', basic({ key: web?.key ?? '', secret: '' }), { type: 'identify', ...body });

/** Each says with the public key alone that the address is the victim's; what it is answered. */
const CLAIMS: readonly (readonly [string, number, (victim: Somebody, email: string) => Promise<Answer>])[] = [
  ['login', 200, ({ name }, email) => keyOnly('login', sdkBody({ customerid: name, email }))],
  ['identify', 200, ({ name }, email) => keyOnly('identify', sdkBody({ customerid: name, email }))],
  ['web', 202, ({ name }, email) => webBatch({ user_identities: { customer_id: name, email } })],
  ['mpid', 202, ({ mpid }, email) => webBatch({ mpid, user_identities: { email } })],
  ['analytics', 200, ({ name }, email) => analytics({ userId: name, traits: { email } })],
  ['modify', 403, ({ mpid }, email) => keyOnly(`${mpid}/modify`, { identity_changes: [added(email)] })],
];
const added = (email: string) => ({ identity_type: 'email', old_value: null, new_value: email });

interface Asking {
  readonly version: 2 | 3;
  readonly body: { readonly subject_request_id: string };
}
const raw = (value: string) => ({ value, encoding: 'raw' });
const inThree = (identities: object): Asking => ({
  version: 3,
  body: bodyThree({ subject_request_type: 'access', subject_identities: identities }),
});
const inTwo = (identity_type: string, identity_value: string): Asking => ({
  version: 2,
  body: bodyTwo({ subject_identities: [{ identity_type, identity_value, identity_format: 'raw' }] }),
});

/** Enters the access requests of the officer and waits until they are over; texts of each zip, empty where there is none. */
async function filesOf(asked: readonly Asking[]): Promise<readonly string[]> {
  for (const { version, body } of asked) {
    expect(await call(`/dsr/v${version}/requests`, basic(officer), body)).toMatchObject({ status: 201 });
  }
  // the pass that begins access requests comes each minute
  await app.store.execute("UPDATE cadences SET next_due_at = $1 WHERE name = 'dsr-access'", [new Date(0)]);
  return await Promise.all(asked.map(fileOf));
}

async function fileOf({ version, body }: Asking): Promise<string> {
  const path = `/dsr/v${version}/requests/${body.subject_request_id}`;
  const { results_url: url } = await until(async () => {
    const { body: request } = await call(path, basic(officer));
    return request.request_status === 'completed' && request;
  });
  if (url === null) return '';
  const zip = await fetch(url, { headers: basic(officer) });
  expect(zip.status).toBe(200);
  return [...(await readZip(Buffer.from(await zip.arrayBuffer()))).values()].join('\n');
}

const secretsIn = (file: string, { secrets }: Somebody) => secrets.filter((secret) => file.includes(secret));

describe('of somebody whose profile others claim with a public key', () => {
  test('an access request by an address that only they brought hands out nothing', async () => {
    const vera = await somebody('vera');
    const addressOf = (claim: string) => `${claim}@evil.example`;
    for (const [name, status, claim] of CLAIMS) {
      expect([name, (await claim(vera, addressOf(name))).status]).toEqual([name, status]);
    }
    const nothing = CLAIMS.map(() => '');
    expect(await filesOf(CLAIMS.map(([name]) => inThree({ email: raw(addressOf(name)) })))).toEqual(nothing);
    expect(await filesOf(CLAIMS.map(([name]) => inTwo('email', addressOf(name))))).toEqual(nothing);
    // each was kept all the same, but for the one that was refused
    const [own = ''] = await filesOf([inThree({ controller_customer_id: raw('vera') })]);
    const [profile = '{}'] = own.split('\n');
    const identities: readonly { readonly identity: string; readonly unverified?: true }[] =
      JSON.parse(profile).identities;
    const unverified = identities.filter((each) => each.unverified).map(({ identity }) => identity);
    const kept = CLAIMS.filter(([, status]) => status !== 403).map(([name]) => addressOf(name));
    expect(unverified.toSorted()).toEqual(kept.toSorted());
    expect(secretsIn(own, vera)).toEqual(vera.secrets);
  });

  test('an access request by what is verified hands out the own file and nobody else’s', async () => {
    const [ann, mallory] = [await somebody('ann'), await somebody('mallory')];
    // the verified address of the one for the profile of the other, both ways
    for (const [, , claim] of CLAIMS) {
      await claim(ann, mallory.email);
      await claim(mallory, ann.email);
    }
    const byAddress = await filesOf([inThree({ email: raw(mallory.email) }), inThree({ email: raw(ann.email) })]);
    const byTwo = await filesOf([inTwo('email', mallory.email), inTwo('email', ann.email)]);
    const byBoth = await filesOf([
      inThree({ controller_customer_id: raw('mallory'), email: raw(ann.email) }),
      inThree({ controller_customer_id: raw('ann'), email: raw(ann.email) }),
    ]);
    for (const [ofMallory = '', ofAnn = ''] of [byAddress, byTwo, byBoth]) {
      expect([secretsIn(ofMallory, ann), secretsIn(ofMallory, mallory)]).toEqual([[], mallory.secrets]);
      expect([secretsIn(ofAnn, ann), secretsIn(ofAnn, mallory)]).toEqual([ann.secrets, []]);
    }
  });
});
