import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/warehouse/index.ts';
import { errorBody, type Fault, type WireCall } from '../../support/bigquery/jobs-api.ts';
import { NUMBERS, numbers, openScripted } from '../../support/bigquery/scripted.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const SMALL = { fields: NUMBERS, rows: numbers(4000) };
const LARGE = { fields: NUMBERS, rows: numbers(50_000) };
const QUERY = requestOf('SELECT n FROM t', { chunkRows: 500 });
const isInsert = ({ method, path, body }: WireCall) =>
  method === 'POST' && path === '/jobs' && !body.includes('"dryRun"');
const isPage = ({ path, query }: WireCall) => path.startsWith('/queries/') && query.has('pageToken');
const refusal = (code: number, reason: string, message = 'x'): Fault => ({
  status: code,
  body: JSON.stringify(errorBody({ status: code, reason, message }).body),
});

/** Rows until the failure, and the failure. */
async function readUntil(
  session: Session,
  onRows: () => void = () => undefined,
): Promise<{ readonly rows: number; readonly failure: unknown }> {
  let rows = 0;
  try {
    const { chunks } = await session.read(QUERY, NEVER);
    for await (const chunk of chunks) {
      rows += chunk.length;
      onRows();
    }
    return { rows, failure: undefined };
  } catch (failure) {
    return { rows, failure };
  }
}

/** Only the first call of those that fit. */
function once(fits: (call: WireCall) => boolean, fault: Fault) {
  let isOver = false;
  return (call: WireCall) => {
    if (isOver || !fits(call)) return undefined;
    isOver = true;
    return fault;
  };
}

describe('the insert of a job', () => {
  it.each<readonly [string, Fault]>([
    ['is answered 503', refusal(503, 'backendError')],
    ['loses its socket', 'drop'],
    ['is answered by a balancer', { status: 502, body: '<html>Bad Gateway</html>', type: 'text/html' }],
  ])('that %s is sent again under its name, and makes one job', async (_, fault) => {
    await using scripted = await openScripted(SMALL);
    scripted.api.fault = once(isInsert, fault);
    await using session = await scripted.open();
    expect((await readAll(session, QUERY)).rows).toHaveLength(4000);
    const ids = scripted.api.calls.filter(isInsert).map(({ body }) => JSON.parse(body).jobReference.jobId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(scripted.api.jobs.size).toBe(1);
  });

  it.each([
    [403, 'accessDenied', 'WAREHOUSE_PERMISSION'],
    [403, 'rateLimitExceeded', 'WAREHOUSE_THROTTLED'],
    [403, 'quotaExceeded', 'WAREHOUSE_THROTTLED'],
    [401, 'authError', 'WAREHOUSE_CREDENTIALS'],
  ])('that is answered %i %s is not', async (code, reason, expected) => {
    await using scripted = await openScripted(SMALL);
    scripted.api.fault = (call) => (isInsert(call) ? refusal(code, reason) : undefined);
    await using session = await scripted.open();
    expect((await readUntil(session)).failure).toMatchObject({ code: expected });
    expect(scripted.api.calls.filter(isInsert)).toHaveLength(1);
  });
});

describe('a job that fails', () => {
  it.each([
    ['notFound', 'Not found: Table p:d.t', 'WAREHOUSE_OBJECT_MISSING'],
    ['responseTooLarge', 'Response too large to return', 'WAREHOUSE_DATA'],
    ['bytesBilledLimitExceeded', 'Query exceeded limit for bytes billed: 10485760', 'WAREHOUSE_DATA'],
    ['backendError', 'Error encountered during execution', 'WAREHOUSE_UNREACHABLE'],
    ['invalidQuery', 'Bad int64 value: x', 'WAREHOUSE_DATA'],
  ])('for %s says so: %s', async (reason, message, code) => {
    await using scripted = await openScripted(SMALL, { run: () => Promise.reject({ status: 400, reason, message }) });
    await using session = await scripted.open();
    expect((await readUntil(session)).failure).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe('pages', () => {
  it.each<readonly [string, Fault, string]>([
    ['is answered 503', refusal(503, 'backendError'), 'WAREHOUSE_UNREACHABLE'],
    ['breaks off', { status: 200, body: '{"rows":[{"f":[{"v":"1"' }, 'WAREHOUSE_SESSION_LOST'],
    ['loses its socket', 'drop', 'WAREHOUSE_SESSION_LOST'],
    ['never comes', 'hang', 'WAREHOUSE_TIMEOUT'],
    ['has no rows any more', { status: 200, body: '{"jobComplete":true,"rows":[]}' }, 'WAREHOUSE_SESSION_LOST'],
    [
      'has more rows than were announced',
      { status: 200, body: JSON.stringify({ jobComplete: true, rows: numbers(4000) }) },
      'WAREHOUSE_SESSION_LOST',
    ],
  ])('of which one %s are not asked for again: the run is', async (_, fault, code) => {
    await using scripted = await openScripted(SMALL);
    scripted.api.fault = (call) => (isPage(call) ? fault : undefined);
    await using session = await scripted.open({}, fault === 'hang' ? { statementTimeoutMs: 2000 } : {});
    const { rows, failure } = await readUntil(session);
    expect(failure).toMatchObject({ code, disposition: 'retry' });
    expect(rows).toBeLessThan(4000);
    expect(scripted.api.calls.filter(isPage)).toHaveLength(1);
    scripted.api.fault = () => undefined;
    expect((await readAll(session, QUERY)).rows).toHaveLength(4000);
  });
});

describe('a stream of rows', () => {
  it.each([status.UNAVAILABLE, status.INTERNAL, status.ABORTED])(
    'that breaks with the status %i is not opened again after rows of it were given',
    async (code) => {
      await using scripted = await openScripted(LARGE);
      let broken = 0;
      const given = Promise.withResolvers<void>();
      scripted.storage.fault = async (batch) => {
        if (batch < 5) return undefined;
        await given.promise;
        broken += 1;
        return { code, details: 'gone' };
      };
      await using session = await scripted.open();
      const { rows, failure } = await readUntil(session, given.resolve);
      expect(failure).toMatchObject({ code: 'WAREHOUSE_SESSION_LOST', disposition: 'retry' });
      expect(rows).toBeLessThanOrEqual(10_000);
      expect(broken).toBe(1);
      scripted.storage.fault = () => undefined;
      expect((await readAll(session, QUERY)).rows).toHaveLength(50_000);
    },
  );

  it('that says nothing any more is given up', async () => {
    await using scripted = await openScripted(LARGE);
    scripted.storage.fault = (batch) => (batch === 3 ? 'hang' : undefined);
    await using session = await scripted.open({}, { statementTimeoutMs: 1000 });
    expect((await readUntil(session)).failure).toMatchObject({ code: 'WAREHOUSE_TIMEOUT' });
  });

  it.each([status.PERMISSION_DENIED, status.UNIMPLEMENTED, status.NOT_FOUND])(
    'that may not be opened (%i) leaves pages, with the same rows',
    async (code) => {
      await using scripted = await openScripted(LARGE);
      scripted.storage.refusal = { code, details: 'no' };
      await using session = await scripted.open();
      const { rows } = await readAll(session, QUERY);
      expect(new Set(rows.map(([n]) => n)).size).toBe(50_000);
      expect(scripted.api.calls.some(isPage)).toBe(true);
    },
  );
});
