import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/http/index.ts';
import { AppError, type Clock, createLog, systemClock } from '../../../src/kernel/index.ts';
import { anEndpoint, httpServer } from '../../support/apis/http-server.ts';

const log = createLog('silent');
/** A clock whose waits are over at once. */
const hurried: Clock = { nowMs: () => 0, sleep: async () => undefined };
const never = () => new Promise<never>(() => undefined);

describe('/healthz', () => {
  it('answers while the process lives, whatever the store does', async () => {
    const server = httpServer([], { health: [{ name: 'store', check: never }] });
    expect(await server.inject('/healthz')).toMatchObject({ statusCode: 200, body: '{"status":"alive"}' });
  });
});

describe('/readyz', () => {
  it('is ready when all checks are', async () => {
    const server = httpServer([], { health: [{ name: 'store', check: async () => undefined }] });
    const response = await server.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(JSON.parse(response.body)).toEqual({ status: 'ready', checks: [{ name: 'store', ok: true }] });
  });

  it('says why it is not', async () => {
    const server = httpServer([], {
      health: [
        { name: 'migrations', check: async () => undefined },
        {
          name: 'store',
          check: async () => {
            throw new AppError('STORE_UNAVAILABLE', 'The store does not answer.');
          },
        },
        {
          name: 'other',
          check: async () => {
            throw new Error('password=hunter2');
          },
        },
      ],
    });
    const response = await server.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(JSON.parse(response.body)).toEqual({
      status: 'not_ready',
      checks: [
        { name: 'migrations', ok: true },
        { name: 'store', ok: false, reason: 'The store does not answer.' },
        { name: 'other', ok: false, reason: 'The check failed; the log has the reason.' },
      ],
    });
  });

  it('takes a check that hangs for one that failed', async () => {
    const server = httpServer([], { clock: hurried, health: [{ name: 'store', check: never }] });
    const response = await server.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.body).toContain('no answer within 2 s');
  });

  it('is not ready while the daemon drains, though requests are still answered', async () => {
    const server = httpServer([anEndpoint({ method: 'GET', handler: async () => ({ status: 200, body: {} }) })]);
    server.drain();
    expect(await server.inject('/readyz')).toMatchObject({
      statusCode: 503,
      body: expect.stringContaining('draining'),
    });
    expect(await server.inject('/platform/v2/things')).toMatchObject({
      statusCode: 200,
      headers: { connection: 'close' },
    });
  });
});

describe('/metrics', () => {
  it('counts and times requests by route, not by id', async () => {
    const server = httpServer([]);
    await server.inject('/healthz');
    await server.inject('/nothing/5');
    const { headers, body } = await server.inject('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=/);
    expect(body).toContain('penstock_http_requests_total{method="GET",route="/healthz",status="200"} 1');
    expect(body).toContain('penstock_http_requests_total{method="GET",route="unknown",status="404"} 1');
    expect(body).toContain('penstock_http_request_duration_seconds_count{method="GET",route="/healthz"} 1');
  });

  it('shows what other rooms count and collect', async () => {
    const metrics = createMetrics({ clock: systemClock, log });
    const runs = metrics.counter({ name: 'penstock_runs_total', help: 'Runs.', labels: ['status'] });
    metrics.gauge({ name: 'penstock_lag_seconds', help: 'Lag.', labels: ['pipeline'], mostSamples: 2 }, async () => [
      { labels: { pipeline: 'a' }, value: 30 },
      { labels: { pipeline: 'b' }, value: 20 },
      { labels: { pipeline: 'c' }, value: 10 },
    ]);
    metrics.gauge({ name: 'penstock_store_up', help: 'Store.' }, async () => [{ value: 1 }]);
    runs({ status: 'success' });
    runs({ status: 'failed' }, 3);
    const { text } = await metrics.page();
    expect(text).toContain('penstock_runs_total{status="success"} 1');
    expect(text).toContain('penstock_runs_total{status="failed"} 3');
    expect(text).toContain('penstock_lag_seconds{pipeline="b"} 20');
    expect(text).not.toContain('pipeline="c"');
    expect(text).toContain('penstock_store_up 1');
  });

  it('leaves out what cannot be collected, forgets old samples, and counts the failure', async () => {
    const metrics = createMetrics({ clock: hurried, log });
    let samples: () => Promise<{ labels: { queue: string }; value: number }[]> = async () => [
      { labels: { queue: 'runs' }, value: 5 },
    ];
    metrics.gauge({ name: 'penstock_queue_age_seconds', help: 'Age.', labels: ['queue'] }, () => samples());
    metrics.gauge({ name: 'penstock_store_pool', help: 'Pool.' }, never);
    expect((await metrics.page()).text).toContain('penstock_queue_age_seconds{queue="runs"} 5');
    samples = async () => [];
    expect((await metrics.page()).text).not.toContain('penstock_queue_age_seconds{');
    samples = () => Promise.reject(new Error('down'));
    const { text } = await metrics.page();
    expect(text).not.toContain('penstock_queue_age_seconds{');
    expect(text).not.toMatch(/^penstock_store_pool /m);
    // the counter of failures was written before they happened: the next scrape shows them
    const next = await metrics.page();
    expect(next.text).toContain('penstock_scrape_failures_total{metric="penstock_queue_age_seconds"} 1');
  });
});

describe('the metrics', () => {
  const statusFor = async (server: ReturnType<typeof httpServer>, remoteAddress: string) =>
    (await server.inject({ url: '/metrics', remoteAddress })).statusCode;

  it('are for this machine alone unless said otherwise', async () => {
    const server = httpServer([]);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      expect(await statusFor(server, address)).toBe(200);
    }
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1'])
      expect(await statusFor(server, address)).toBe(403);
    const refused = await server.inject({ url: '/metrics', remoteAddress: '10.0.0.1' });
    expect(JSON.parse(refused.body).message).toContain('PENSTOCK_METRICS_FROM');
  });

  it('are not for the clients of a proxy that nobody named, whose first request is a warning', async () => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    const rest = { port: 0, baseUrl: undefined, bodyLimitBytes: 1024 };
    const config = { host: '127.0.0.1', ...rest, trustedProxies: ['10.0.0.1'] };
    const server = httpServer([], { config, log });
    const statusVia = async (remoteAddress: string, headers: Record<string, string>) =>
      (await server.inject({ url: '/metrics/', remoteAddress, headers })).statusCode;
    for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
      expect(await statusVia('127.0.0.1', headers)).toBe(403);
    }
    expect(await statusVia('10.0.0.1', { 'x-forwarded-for': '127.0.0.1' })).toBe(200);
    expect(await statusVia('10.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).toBe(403);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ msg: 'http.proxy-not-trusted', peer: '127.0.0.1' }),
    ]);
  });

  it('are for the networks that are named', async () => {
    const rest = { port: 0, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1024 };
    const config = { host: '127.0.0.1', ...rest, metricsFrom: ['10.0.0.0/8', 'fd00::/8', '192.0.2.7'] };
    const server = httpServer([], { config });
    for (const address of ['10.1.2.3', 'fd00::5', '192.0.2.7']) expect(await statusFor(server, address)).toBe(200);
    for (const address of ['127.0.0.1', '192.0.2.8']) expect(await statusFor(server, address)).toBe(403);
  });
});
