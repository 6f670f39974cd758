import type { TFetchResultsResp } from '@databricks/sql/thrift/TCLIService_types.js';
import { expect, it } from 'vitest';
import { callsOf, openDatabricksWarehouse } from '../../support/fakes/databricks-warehouse.ts';
import type { Fault } from '../../support/fakes/wire-proxy.ts';
import { decode, encodeReply, makeInt64, readHead, T } from '../../support/servers/databricks/thrift.ts';
import { onServer } from '../../support/warehouses/on-server.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { calls, openOn } from './open-on.ts';

const MANY = 'SELECT id AS n FROM range(0, 20000, 1, 2)';

/** The rows of a FetchResults, spoiled as told. */
function changed(spoil: (answer: TFetchResultsResp) => void): Fault {
  return {
    kind: 'change',
    body(bytes) {
      const answer = decode(bytes, T.TFetchResultsResp);
      if (answer === undefined) throw new Error('No answer to spoil.');
      spoil(answer);
      return encodeReply(readHead(bytes), answer);
    },
  };
}

onServer('databricks', 'Databricks on a bad day', () => {
  it.each<readonly [string, string, Fault, object]>([
    [
      'is throttled',
      'ExecuteStatement',
      { kind: 'answer', status: 429, headers: { 'retry-after': '9' } },
      { code: 'WAREHOUSE_THROTTLED', retryAfterSeconds: 9 },
    ],
    ['loses its gateway', 'FetchResults', { kind: 'answer', status: 502 }, { code: 'WAREHOUSE_UNREACHABLE' }],
    [
      'drops the connection before an answer',
      'ExecuteStatement',
      { kind: 'drop', afterBytes: 0 },
      { code: 'WAREHOUSE_SESSION_LOST' },
    ],
    [
      'drops it in the middle of the rows',
      'FetchResults',
      { kind: 'drop', afterBytes: 300 },
      { code: 'WAREHOUSE_SESSION_LOST' },
    ],
    [
      'refuses the token in the middle',
      'FetchResults',
      { kind: 'answer', status: 403, headers: { 'x-databricks-reason-phrase': 'Token expired.' } },
      { code: 'WAREHOUSE_CREDENTIALS', message: expect.stringContaining('Token expired.') },
    ],
    [
      'sends a batch that is cut',
      'FetchResults',
      changed(({ results }) => {
        for (const batch of results?.arrowBatches ?? []) batch.batch = batch.batch.subarray(0, 200);
      }),
      { code: 'WAREHOUSE_SESSION_LOST', message: expect.stringContaining('cannot be read') },
    ],
    [
      'sends a batch of other rows than it says',
      'FetchResults',
      changed(({ results }) => {
        for (const batch of results?.arrowBatches ?? []) batch.rowCount = makeInt64(7) as never;
      }),
      { code: 'WAREHOUSE_SESSION_LOST', message: expect.stringContaining('announces 7') },
    ],
  ])('%s', async (_, ...[call, fault, expected]) => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    await session.clock(NEVER);
    // one statement asks for the columns, and its rows end with a set that has none
    let left = call === 'FetchResults' ? 2 : 1;
    warehouse.proxy.harm((request) => calls(call)(request) && --left < 0, fault);
    await expect(readAll(session, requestOf(MANY))).rejects.toMatchObject(expected);
    expect((await readAll(session, requestOf(MANY))).rows).toHaveLength(20_000);
  });

  it('ends an answer in the middle, for which the SDK would wait for ever', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse, {}, { statementTimeoutMs: 3000 });
    await session.clock(NEVER);
    warehouse.proxy.harm(calls('FetchResults'), { kind: 'end', afterBytes: 30 });
    await expect(session.clock(NEVER)).rejects.toMatchObject({ disposition: 'retry' });
  });

  it('says nothing any more, and is left when the caller leaves', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    await session.clock(NEVER);
    warehouse.proxy.harm(calls('FetchResults'), { kind: 'stall', afterBytes: 10 });
    const stop = new AbortController();
    const reading = readAll(session, requestOf(MANY), stop.signal);
    setTimeout(() => stop.abort(), 1000);
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('comes slowly, and whole', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    const until = new Promise<void>((resolve) => setTimeout(resolve, 500));
    warehouse.proxy.harm(calls('FetchResults'), { kind: 'stall', afterBytes: 100, until }, 3);
    expect((await readAll(session, requestOf(MANY))).rows).toHaveLength(20_000);
  });

  it('forgets the session: a new one is opened before any row was handed over', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    await session.clock(NEVER);
    const status = new T.TStatus({
      statusCode: T.TStatusCode.INVALID_HANDLE_STATUS,
      errorMessage: 'Invalid SessionHandle',
    });
    const forgotten: Fault = {
      kind: 'change',
      body: (bytes) => encodeReply(readHead(bytes), new T.TExecuteStatementResp({ status })),
    };
    warehouse.proxy.harm(calls('ExecuteStatement'), forgotten);
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
    expect(callsOf(warehouse.proxy, 'OpenSession')).toBe(2);
    warehouse.proxy.harm(calls('ExecuteStatement'), forgotten, 2);
    await expect(session.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST' });
  });

  it('is starting: it is waited for as long as it says', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    warehouse.proxy.harm(calls('OpenSession'), { kind: 'answer', status: 503, headers: { 'retry-after': '1' } }, 2);
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
    expect(callsOf(warehouse.proxy, 'OpenSession')).toBe(3);
  });

  it('is starting for longer than anybody waits', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    warehouse.proxy.harm(calls('OpenSession'), { kind: 'answer', status: 503, headers: { 'retry-after': '3000' } }, 2);
    await expect(session.clock(NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      retryAfterSeconds: 3000,
    });
  });

  it('fails a look at the statement: it is looked at again', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    warehouse.proxy.harm(calls('GetOperationStatus'), { kind: 'answer', status: 503 }, 2);
    await expect(session.clock(NEVER)).resolves.toBeTypeOf('bigint');
  });

  it('sends links that nobody asked for: they are not followed', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    await session.clock(NEVER);
    const links: Fault = {
      kind: 'change',
      body(bytes) {
        const answer = decode(bytes, T.TGetResultSetMetadataResp);
        if (answer !== undefined) answer.resultFormat = T.TSparkRowSetType.URL_BASED_SET;
        return encodeReply(readHead(bytes), answer ?? {});
      },
    };
    warehouse.proxy.harm(calls('GetResultSetMetadata'), links);
    await expect(session.clock(NEVER)).rejects.toMatchObject({
      message: expect.stringContaining('format that was not requested'),
    });
  });

  it('carries the pipeline and the run as query tags, and asks for links and no compression', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse);
    await readAll(session, requestOf('SELECT 1 AS one', { label: { pipeline: 'shop, people', run: '7' } }));
    const sent = warehouse.proxy.seen
      .filter(calls('ExecuteStatement'))
      .map(({ body }) => decode(body, T.TExecuteStatementReq));
    expect(sent.at(-1)).toMatchObject({
      confOverlay: { query_tags: String.raw`application:penstock,pipeline:shop\, people,run:7` },
      ...{ canDownloadResult: true, canDecompressLZ4Result: false, runAsync: true },
    });
    // no telemetry, nothing but the service
    expect(new Set(warehouse.proxy.seen.map(({ url }) => url))).toEqual(new Set([warehouse.config.http_path]));
  });
});
