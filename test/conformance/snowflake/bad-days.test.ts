// Faults of Snowflake and of the way to it, against the real SDK.
import { describe, expect, it } from 'vitest';
import type { Cell, Session } from '../../../src/warehouse/index.ts';
import { until } from '../../support/clocks/until.ts';
import { type FakeResult, type FakeSnowflake, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { openWireProxy, type WireProxy, type WireRequest } from '../../support/fakes/wire-proxy.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { failureOf, openOn } from './open-on.ts';

const ROWS = 100;
/** Ten parts of ten rows, the first of them in the answer itself. */
const RESULT: FakeResult = {
  columns: [{ name: 'N', type: 'fixed', scale: 0 }],
  rows: Array.from({ length: ROWS }, (_, n) => [String(n)]),
  partRows: 10,
};

const isThePart =
  (number: number) =>
  ({ url }: WireRequest) =>
    url === `/part/${number}`;
const isQuery = ({ url, body }: WireRequest) =>
  url.startsWith('/queries/v1/query-request') && !body.includes('ALTER SESSION');

interface Stage {
  readonly server: FakeSnowflake;
  readonly proxy: WireProxy;
  readonly session: Session;
}

async function onStage(work: (stage: Stage) => Promise<void>, decided: object = {}): Promise<void> {
  await using server = await openFakeSnowflake({ answer: () => RESULT });
  await using proxy = await openWireProxy({ host: '127.0.0.1', port: server.port });
  await using session = await openOn(proxy.port, {}, decided);
  await work({ server, proxy, session });
}

/** Returns every row that was handed out before the failure, and the failure. */
async function readUntilFailure(session: Session) {
  const seen: Cell[] = [];
  const failure = await failureOf(async () => {
    const { chunks } = await session.read(requestOf('SELECT n', { chunkRows: 5 }), NEVER);
    for await (const chunk of chunks) seen.push(...chunk.map(([n]) => n ?? null));
  });
  return { seen, failure };
}

describe('a session', () => {
  it('that has expired is renewed, and the statement that met it answers as ever', () =>
    onStage(async ({ server, session }) => {
      await session.clock(NEVER).catch(() => undefined);
      server.expire();
      expect((await readAll(session, requestOf('SELECT n'))).rows).toHaveLength(ROWS);
      expect(server.renewals()).toBe(1);
      expect(server.signIns).toHaveLength(1);
    }));

  it('that is gone is retry, and the next statement signs in anew', () =>
    onStage(async ({ server, session }) => {
      await readAll(session, requestOf('SELECT n'));
      server.expire(true);
      expect(await failureOf(() => readAll(session, requestOf('SELECT n')))).toMatchObject({
        code: 'WAREHOUSE_SESSION_LOST',
        disposition: 'retry',
      });
      expect((await readAll(session, requestOf('SELECT n'))).rows).toHaveLength(ROWS);
      expect(server.signIns).toHaveLength(2);
    }));
});

describe('a statement', () => {
  it('that meets 503 once is sent again under its own request id', () =>
    onStage(async ({ server, proxy, session }) => {
      proxy.harm(isQuery, { kind: 'answer', status: 503 });
      expect((await readAll(session, requestOf('SELECT n'))).rows).toHaveLength(ROWS);
      expect(server.statements).toHaveLength(1);
      const ids = proxy.seen.filter(isQuery).map(({ url }) => new URL(url, 'http://x').searchParams.get('requestId'));
      expect(ids).toHaveLength(2);
      expect(new Set(ids).size).toBe(1);
    }));

  it.each([
    [503, 'WAREHOUSE_THROTTLED'],
    [429, 'WAREHOUSE_THROTTLED'],
    [500, 'WAREHOUSE_UNREACHABLE'],
  ])('that meets nothing but %i is retry within seconds', (status, code) =>
    onStage(async ({ proxy, session }) => {
      proxy.harm(isQuery, { kind: 'answer', status }, 100);
      expect(await failureOf(() => readAll(session, requestOf('SELECT n')))).toMatchObject({
        code,
        disposition: 'retry',
      });
      expect(proxy.seen.filter(isQuery)).toHaveLength(3);
    }),
  );

  it('whose socket is dropped for good is retry', () =>
    onStage(async ({ proxy, session }) => {
      proxy.harm(isQuery, { kind: 'drop', afterBytes: 0 }, 100);
      expect(await failureOf(() => readAll(session, requestOf('SELECT n')))).toMatchObject({ disposition: 'retry' });
    }));

  it('that the server never answers is given up after the statement timeout, and cancelled', () =>
    onStage(
      async ({ server, proxy, session }) => {
        proxy.harm(isQuery, { kind: 'stall', afterBytes: 0 });
        expect(await failureOf(() => readAll(session, requestOf('SELECT n')))).toMatchObject({
          code: 'WAREHOUSE_UNREACHABLE',
          message: expect.stringContaining('No answer within'),
        });
        await until(async () => server.cancelled.length > 0);
      },
      { statementTimeoutMs: 3000 },
    ));

  it('is cancelled by its own request id, again and again, and left behind when that does not help', () =>
    onStage(async ({ server, proxy, session }) => {
      proxy.harm(isQuery, { kind: 'stall', afterBytes: 0 });
      const stop = new AbortController();
      const reading = failureOf(() => readAll(session, requestOf('SELECT n'), stop.signal));
      await until(async () => proxy.seen.some(isQuery));
      stop.abort();
      expect(await reading).toMatchObject({ code: 'CANCELLED' });
      expect(server.cancelled.length).toBeGreaterThan(1);
      const query = proxy.seen.find(isQuery)?.url ?? '';
      expect(new Set(server.cancelled)).toEqual(new Set([new URL(query, 'http://x').searchParams.get('requestId')]));
      await until(async () => server.openSessions() === 0);
    }));

  it('carries its label and its values beside its text', () =>
    onStage(async ({ server, session }) => {
      const sql = `SELECT n FROM t WHERE a >= CAST(\0from\0 AS NUMBER(38, 0)) AND b < \0to\0`;
      const statement = { sql, parameters: { from: 9223372036854775807n, to: "x'; --" } };
      await readAll(session, { ...requestOf(''), statement, label: { pipeline: 'shop/daily', run: '17' } });
      expect(server.statements[0]).toMatchObject({
        sqlText: 'SELECT n FROM t WHERE a >= CAST(? AS NUMBER(38, 0)) AND b < ?',
        bindings: { 1: { type: 'TEXT', value: '9223372036854775807' }, 2: { type: 'TEXT', value: "x'; --" } },
        parameters: { QUERY_TAG: 'penstock pipeline=shop/daily run=17' },
      });
    }));
});

describe('a part of a result', () => {
  const broken = Buffer.from('["1"],["2"');
  it.each<readonly [string, (proxy: WireProxy) => void]>([
    ['is not JSON', (proxy) => void proxy.harm(isThePart(4), { kind: 'change', body: () => broken })],
    ['is empty', (proxy) => void proxy.harm(isThePart(4), { kind: 'change', body: () => Buffer.from('') })],
    [
      'lacks rows',
      (proxy) => void proxy.harm(isThePart(4), { kind: 'change', body: () => Buffer.from('["1"],["2"]') }),
    ],
    [
      'has rows that nobody announced',
      (proxy) =>
        void proxy.harm(isThePart(4), { kind: 'change', body: (body) => Buffer.concat([body, Buffer.from(',["x"]')]) }),
    ],
    ['is cut off and looks whole', (proxy) => void proxy.harm(isThePart(4), { kind: 'end', afterBytes: 7 })],
    ['is not there any more', (proxy) => void proxy.harm(isThePart(4), { kind: 'answer', status: 404 }, 10)],
    ['cannot be had', (proxy) => void proxy.harm(isThePart(4), { kind: 'answer', status: 500 }, 10)],
    [
      'comes with a dropped socket, always',
      (proxy) => void proxy.harm(isThePart(4), { kind: 'drop', afterBytes: 3 }, 10),
    ],
  ])('that %s is retry, after the rows before it and none twice', (_, harm) =>
    onStage(async ({ proxy, session }) => {
      harm(proxy);
      const { seen, failure } = await readUntilFailure(session);
      expect(failure).toMatchObject({ disposition: 'retry' });
      expect(seen).toEqual(Array.from({ length: 50 }, (_row, n) => n));
    }),
  );

  it('that comes with a dropped socket once is asked for again', () =>
    onStage(async ({ proxy, session }) => {
      proxy.harm(isThePart(4), { kind: 'drop', afterBytes: 3 });
      const { rows } = await readAll(session, requestOf('SELECT n'));
      expect(rows.map(([n]) => n)).toEqual(Array.from({ length: ROWS }, (_, n) => n));
    }));

  it('that is slow is waited for', () =>
    onStage(async ({ proxy, session }) => {
      const slow = new Promise<void>((resolve) => {
        setTimeout(resolve, 700);
      });
      proxy.harm(isThePart(4), { kind: 'stall', afterBytes: 5, until: slow });
      expect((await readAll(session, requestOf('SELECT n'))).rows).toHaveLength(ROWS);
    }));

  it('that never comes is given up, for streams have hung without a word', () =>
    onStage(
      async ({ proxy, session }) => {
        proxy.harm(isThePart(4), { kind: 'stall', afterBytes: 5 });
        const { seen, failure } = await readUntilFailure(session);
        expect(failure).toMatchObject({ disposition: 'retry', message: expect.stringContaining('No row came') });
        expect(seen).toHaveLength(50);
      },
      { statementTimeoutMs: 3000 },
    ));

  const rows = Array.from({ length: 30_000 }, (_, n) => [String(n)]);

  it.each([
    ['one ahead', 64 * (1 << 20), 4],
    ['none ahead where it is larger than asked for', 64 * (1 << 20) + 1, 2],
  ])('is fetched %s, and no further than somebody reads', async (_, partBytes, most) => {
    await using server = await openFakeSnowflake({ answer: () => ({ ...RESULT, rows, partRows: 1500, partBytes }) });
    await using session = await openOn(server.port);
    const { chunks } = await session.read(requestOf('SELECT n', { chunkRows: 500 }), NEVER);
    const iterator = chunks[Symbol.asyncIterator]();
    for (let taken = 0; taken < 6; taken += 1) await iterator.next();
    // two of the parts have been read
    expect(server.partsAsked()).toBeLessThanOrEqual(most);
    await iterator.return?.();
    expect(server.partsAsked()).toBeLessThanOrEqual(most);
  });

  it('is read whole also where none is fetched ahead', async () => {
    await using server = await openFakeSnowflake({
      answer: () => ({ ...RESULT, rows, partRows: 1500, partBytes: 1 << 30 }),
    });
    await using session = await openOn(server.port);
    const { rows: read } = await readAll(session, requestOf('SELECT n'));
    expect(read.map(([n]) => n)).toEqual(rows.map((_, n) => n));
  });

  it('of more than four times the longest message is a fault that says how to shrink it, and is fetched once', async () => {
    const long = [['x'], ['y'.repeat(4 << 20)]];
    const columns = [{ name: 'T', type: 'text' }];
    await using server = await openFakeSnowflake({ answer: () => ({ columns, rows: long, partRows: 1 }) });
    await using session = await openOn(server.port, {}, { messageBytes: 1 << 20 });
    const failure = await failureOf(() => readAll(session, requestOf('SELECT t')));
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_DATA',
      disposition: 'fault',
      message: expect.stringMatching(/more than 4 MiB.*2026_04.*PENSTOCK_WAREHOUSE_MESSAGE_MB/),
    });
    expect(server.partsAsked()).toBe(1);
  });
});
