// The rates of a workspace: 1,000 calls a minute and 80,000 creations a day, both settings, then 429 (D-067).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/access/settings/settings.ts';
import { bodyThree, bodyTwo, type DsrApi, openDsrApi } from '../../support/apis/dsr-api.ts';
import { someInput } from '../../support/apis/input-probes.ts';
import { someWorkspace } from '../../support/apis/test-access.ts';

const DISCOVERY = '/dsr/v3/discovery';
const REQUESTS = '/dsr/v3/requests';

let api: DsrApi;
beforeEach(async () => {
  api = await openDsrApi();
});
afterEach(() => api[Symbol.asyncDispose]());

async function call(count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await api.get(DISCOVERY)).status);
  return statuses;
}

describe('calls a minute', () => {
  it('1,000 are taken while the clock stands still, and the 1,001st is 429', async () => {
    expect(new Set(await call(1000))).toEqual(new Set([200]));
    const { status, body, headers } = await api.get(DISCOVERY);
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(body).toEqual({
      code: 429,
      message: 'This workspace accepts 1000 calls of this API per minute; wait as long as Retry-After says.',
      errors: [{ domain: 'RateLimit', reason: 'RATE_LIMITED', message: body.message }],
    });
    // who waits as long as was said comes in
    api.access.clock.advance(1000);
    expect((await call(1))[0]).toBe(200);
    api.access.clock.advance(60_000);
    expect(new Set(await call(1000))).toEqual(new Set([200]));
  });

  it('count refusals and all versions together, and each workspace by itself', async () => {
    await api.putSettings({ limits: { subject_requests_per_minute: 3 } });
    const answers = [
      await api.post(REQUESTS, '{'),
      await api.get('/dsr/v2/requests/x'),
      await api.get('/dsr/v1/discovery'),
      await api.get(DISCOVERY),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 404, 200, 429]);
    expect(answers[3]?.headers['retry-after']).toBe('20');
    const { workspaceId } = await someWorkspace(api.access);
    const input = await someInput(api.access, workspaceId, ['dsr']);
    expect(await api.get(DISCOVERY, { input })).toMatchObject({ status: 200 });
  });
});

describe('creations a day', () => {
  it('are 80,000 by default', () => {
    expect(DEFAULT_SETTINGS.limits).toMatchObject({
      subject_requests_per_minute: 1000,
      subject_requests_per_day: 80_000,
    });
  });

  it('end at the setting until the day of UTC is over', async () => {
    await api.putSettings({ limits: { subject_requests_per_day: 2 } });
    const body = bodyThree();
    const answers = [
      await api.post(REQUESTS, body),
      // what creates nothing does not count
      await api.post(REQUESTS, body),
      await api.post(REQUESTS, bodyThree({ regulation: 'x' })),
      await api.post('/dsr/v2/requests', bodyTwo()),
      await api.post(REQUESTS, bodyThree()),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 400, 201, 429]);
    const untilMidnightS = (Date.UTC(2026, 0, 16) - api.access.clock.nowMs()) / 1000;
    expect(answers[4]?.headers['retry-after']).toBe(String(untilMidnightS));
    expect(await api.get(`${REQUESTS}/${body.subject_request_id}`)).toMatchObject({ status: 200 });
    api.access.clock.advance(untilMidnightS * 1000);
    expect(await api.post(REQUESTS, bodyThree())).toMatchObject({ status: 201 });
  });

  it('are no more for requests that come together', async () => {
    await api.putSettings({ limits: { subject_requests_per_day: 3 } });
    const together = await Promise.all(Array.from({ length: 6 }, () => api.post(REQUESTS, bodyThree())));
    expect(together.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
  });
});
