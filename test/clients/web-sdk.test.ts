// The npm package `@mparticle/web-sdk` in a page of another origin, as a browser would run it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DOMWindow, JSDOM } from 'jsdom';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf } from '../support/apis/client-page.ts';
import { until } from '../support/clocks/until.ts';
import { type ClientDaemon, startClientDaemon } from '../support/crashes/client-daemon.ts';

const ORIGIN = 'http://shop.example';
const main = createRequire(import.meta.url).resolve('@mparticle/web-sdk');
const SDK = readFileSync(main.replace('mparticle.common.js', 'mparticle.js'), 'utf8');

interface Result {
  readonly httpCode: number;
  readonly body?: { readonly mpid: string; readonly is_logged_in: boolean; readonly matched_identities: object };
}
type Call = (data: object, hear: (result: Result) => void) => void;

/** What the tests use of the SDK. */
interface Sdk {
  readonly config: {
    forceHttps?: boolean;
    isDevelopmentMode?: boolean;
    logLevel?: 'none';
    identityCallback?: (result: Result) => void;
  };
  readonly EventType: { readonly Navigation: number };
  readonly ProductActionType: { readonly Purchase: number };
  readonly Identity: {
    readonly login: Call;
    readonly logout: Call;
    readonly modify: Call;
    readonly search: (key: string, identities: object, hear: (result: Result) => void) => void;
    getCurrentUser(): { getMPID(): string; setUserAttribute(name: string, value: unknown): void };
  };
  readonly PromotionType: Readonly<Record<'PromotionView' | 'PromotionClick', number>>;
  readonly eCommerce: {
    createProduct(...of: unknown[]): object;
    createPromotion(id: string, creative: string, name: string, position: number): object;
    logPromotion(type: number, promotion: object): void;
    logProductAction(type: number, products: object[], attributes: object, flags: object, transaction: object): void;
  };
  init(key: string, config: object): void;
  logEvent(name: string, type?: number, attributes?: object): void;
  logPageView(name: string, attributes?: object): void;
  logError(error: string): void;
}

let daemon: ClientDaemon;
beforeAll(async () => {
  daemon = await startClientDaemon(['web', 'identity_key_only']);
  await daemon.settings({ allowed_origins: [ORIGIN] });
}, 900_000);
afterAll(() => daemon[Symbol.asyncDispose]());

let page: DOMWindow;
beforeEach(() => {
  page = new JSDOM('<!doctype html>', { url: `${ORIGIN}/lamps`, runScripts: 'outside-only' }).window;
});
afterEach(() => page.close());

/** A page that did what docs/clients.md says; resolves when the SDK has identified its visitor. */
async function openPage(): Promise<{ readonly sdk: Sdk; readonly first: Result }> {
  const [configure = '', init = ''] = codeOf('Web: `@mparticle/web-sdk`', 'js', daemon);
  page.eval(configure);
  const { config } = page.mParticle as Sdk;
  // the daemon of a test has no certificate
  config.forceHttps = false;
  config.isDevelopmentMode = true;
  config.logLevel = 'none';
  const identified = heard((hear) => {
    config.identityCallback = hear;
  });
  page.eval(SDK);
  page.eval(init);
  return { sdk: page.mParticle as Sdk, first: await identified };
}

/** What a callback is told, within a few seconds. */
function heard(begin: (hear: (result: Result) => void) => void): Promise<Result> {
  let told: Result | undefined;
  begin((result) => {
    told = result;
  });
  return until(() => told);
}

interface Event {
  readonly event_type: string;
  readonly data: {
    readonly event_name?: string;
    readonly product_action?: object;
    readonly promotion_action?: { readonly action: string } | null;
  };
}

/** Events of a profile that were kept, by kind, once so many of each are there. Each came alone, and some overtook others. */
async function eventsOf(mpid: string | undefined, counts: Readonly<Record<string, number>>) {
  return await until(async () => {
    const own = (await daemon.batches()).filter((kept) => String(kept.mpid) === mpid);
    const events = own.flatMap(({ batch }) => batch.events as readonly Event[]);
    const byKind = Object.groupBy(events, ({ event_type }) => event_type);
    const isThere = Object.entries(counts).every(([kind, count]) => (byKind[kind]?.length ?? 0) >= count);
    return isThere ? (kind: string) => (byKind[kind] ?? []).map(({ data }) => data) : undefined;
  });
}

describe('@mparticle/web-sdk', () => {
  test('identifies, changes, logs in and out; may neither search nor change whoever is logged in', async () => {
    const { sdk, first } = await openPage();
    expect(first).toMatchObject({ httpCode: 200, body: { is_logged_in: false } });
    expect(first).toHaveProperty('body.matched_identities', {});
    const modify = (userIdentities: object) => heard((hear) => sdk.Identity.modify({ userIdentities }, hear));
    expect(await modify({ other: 'visitor 7' })).toMatchObject({ httpCode: 200 });

    const login = await heard((hear) =>
      sdk.Identity.login({ userIdentities: { customerid: 'c-1', other: 'visitor 7' } }, hear),
    );
    // a login that nobody had joins the visitor
    expect(login).toMatchObject({ httpCode: 200, body: { mpid: first.body?.mpid, is_logged_in: true } });
    expect(await modify({ other: 'somebody else' })).toMatchObject({
      httpCode: -1,
      body: expect.stringContaining('403'),
    });
    const search = await heard((hear) => sdk.Identity.search(daemon.key, { customerid: 'c-1' }, hear));
    expect(search.httpCode).toBe(403);

    const logout = await heard((hear) => sdk.Identity.logout({}, hear));
    expect(logout).toMatchObject({ httpCode: 200, body: { is_logged_in: false } });
    expect(logout.body?.mpid).not.toBe(first.body?.mpid);
    expect(sdk.Identity.getCurrentUser().getMPID()).toBe(logout.body?.mpid);
  }, 300_000);

  test('sends its events, those too that it says in words of its own', async () => {
    const { sdk } = await openPage();
    // somebody of this test's own
    const { body } = await heard((hear) => sdk.Identity.login({ userIdentities: { customerid: 'c-2' } }, hear));
    sdk.logEvent('Opened', sdk.EventType.Navigation, { colour: 'red', size: 7 });
    sdk.logEvent('Without a type');
    sdk.logPageView('Lamps');
    sdk.logError('A lamp broke.');
    const lamp = sdk.eCommerce.createProduct(
      'Lamp',
      4711,
      '19.90',
      2,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      { watts: 40 },
    );
    sdk.eCommerce.logProductAction(sdk.ProductActionType.Purchase, [lamp], {}, {}, { Id: 12, Revenue: 39.8 });
    const promotion = sdk.eCommerce.createPromotion('p-1', 'banner', 'Summer', 3);
    sdk.eCommerce.logPromotion(sdk.PromotionType.PromotionView, promotion);
    sdk.eCommerce.logPromotion(sdk.PromotionType.PromotionClick, promotion);
    sdk.Identity.getCurrentUser().setUserAttribute('plan', 'pro');

    const alone = { screen_view: 1, crash_report: 1, commerce_event: 3, user_attribute_change: 1 };
    const ofKind = await eventsOf(body?.mpid, { custom_event: 2, ...alone });
    const named = ofKind('custom_event').sort((one, other) =>
      String(one.event_name).localeCompare(String(other.event_name)),
    );
    expect(named).toMatchObject([
      { event_name: 'Opened', custom_event_type: 'navigation', custom_attributes: { colour: 'red', size: 7 } },
      { event_name: 'Without a type', custom_event_type: 'other' },
    ]);
    expect(ofKind('screen_view')).toMatchObject([{ screen_name: 'Lamps' }]);
    expect(ofKind('crash_report')).toMatchObject([{ severity: null, custom_attributes: { m: 'A lamp broke.' } }]);
    const product = { id: '4711', name: 'Lamp', price: 19.9, quantity: 2, custom_attributes: { watts: '40' } };
    const commerce = ofKind('commerce_event');
    expect(commerce.map((data) => data.product_action).filter(Boolean)).toMatchObject([
      { action: 'purchase', transaction_id: '12', total_amount: 39.8, products: [product] },
    ]);
    const promoted = commerce.flatMap(({ promotion_action: action }) => action ?? []);
    expect(promoted.toSorted((one, other) => one.action.localeCompare(other.action))).toMatchObject([
      { action: 'click', promotions: [{ id: 'p-1' }] },
      { action: 'view', promotions: [{ id: 'p-1' }] },
    ]);
    expect(ofKind('user_attribute_change')).toMatchObject([{ user_attribute_name: 'plan', new: 'pro' }]);
    expect(await daemon.profiles()).toContainEqual({ plan: 'pro' });
  }, 300_000);

  test('is refused by the browser in a page whose origin is not allowed', async () => {
    page.close();
    page = new JSDOM('<!doctype html>', { url: 'http://elsewhere.example/', runScripts: 'outside-only' }).window;
    const { first } = await openPage();
    expect(first.httpCode).toBe(-1);
  }, 300_000);
});
