import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/bigquery/jobs-api.ts';
import { NUMBERS, numbers, openScripted } from '../../support/bigquery/scripted.ts';
import { until } from '../../support/clocks/until.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const label = { pipeline: 'Orders of Today', run: '42' };
const QUERY = requestOf('SELECT n FROM t', { label, snapshotKey: 'c0ffee' });
const answerOf = (count: number, from = 0) => ({ fields: NUMBERS, rows: numbers(count, from) });

describe('a job', () => {
  it('carries labels, limits and the location of the dataset, and so does every call about it', async () => {
    await using scripted = await openScripted(answerOf(4000));
    await using session = await scripted.open({ maximum_bytes_billed: 20_000_000 }, { statementTimeoutMs: 5000 });
    await readAll(session, QUERY);
    const [job] = [...scripted.api.jobs.values()];
    expect(job?.configuration).toMatchObject({
      labels: { penstock: 'true', penstock_pipeline: 'orders_of_today', penstock_run: '42' },
      jobTimeoutMs: '5000',
      query: { useLegacySql: false, maximumBytesBilled: '20000000', defaultDataset: { datasetId: 'shop' } },
    });
    expect(job?.location).toBe('europe-west4');
    const pages = scripted.api.calls.filter(({ path }) => path.startsWith('/queries/'));
    expect(pages.map(({ query }) => query.get('location'))).toEqual(pages.map(() => 'europe-west4'));
  });

  it.each([
    [{}, 1_000_000_000, '1000000000'],
    [{ maximum_bytes_billed: 20_000_000 }, 1_000_000_000, '20000000'],
    [{}, 0, undefined],
  ])('has the limit of the connection %j, else the operator’s %i', async (config, maxBytesBilled, limit) => {
    await using scripted = await openScripted(answerOf(1));
    await using session = await scripted.open(config, { bigquery: { maxBytesBilled, location: undefined } });
    await readAll(session, QUERY);
    const limits = scripted.api.calls.flatMap(({ body }) => /"maximumBytesBilled":"(\d+)"/.exec(body)?.[1] ?? []);
    expect(new Set(limits)).toEqual(new Set(limit === undefined ? [] : [limit]));
  });

  it.each([
    [{}, 'EU', 'EU'],
    [{ region: 'europe-west3' }, 'EU', 'europe-west3'],
  ])('of an account that may not read its dataset runs with %j and the default %s in %s', async (...given) => {
    const [config, location, expected] = given;
    await using scripted = await openScripted(answerOf(1));
    scripted.api.fault = ({ path }) =>
      path === '/datasets/shop'
        ? { status: 403, body: JSON.stringify(errorBody({ status: 403, reason: 'accessDenied' }).body) }
        : undefined;
    await using session = await scripted.open(config, { bigquery: { maxBytesBilled: 0, location } });
    await readAll(session, QUERY);
    expect([...scripted.api.jobs.values()][0]?.location).toBe(expected);
  });

  it('runs where config.region says', async () => {
    await using scripted = await openScripted(answerOf(1));
    await using session = await scripted.open({ region: 'EU' });
    await readAll(session, QUERY);
    expect([...scripted.api.jobs.values()][0]?.location).toBe('EU');
  });

  it('is found again under the key of its snapshot alone, and then gives the rows it had', async () => {
    await using scripted = await openScripted(answerOf(10));
    const read = async (request = QUERY) => {
      await using session = await scripted.open();
      return (await readAll(session, request)).rows.length;
    };
    expect(await read()).toBe(10);
    scripted.answer = answerOf(99);
    expect(await read()).toBe(10);
    expect(await read({ ...QUERY, label: { ...label, run: '43' } })).toBe(10);
    expect(await read({ ...QUERY, snapshotKey: 'c0ffef' })).toBe(99);
    scripted.answer = answerOf(100);
    expect(await read(requestOf('SELECT n FROM t', { label }))).toBe(100);
    expect(scripted.api.jobs.size).toBe(3);
  });

  it('that failed or was cancelled is made anew under another name', async () => {
    let fails = true;
    await using scripted = await openScripted(answerOf(10), {
      run: async () => {
        if (fails) throw { status: 503, reason: 'backendError', message: 'x' };
        return answerOf(10);
      },
    });
    await using session = await scripted.open();
    await expect(readAll(session, QUERY)).rejects.toMatchObject({ disposition: 'retry' });
    fails = false;
    expect((await readAll(session, QUERY)).rows).toHaveLength(10);
    expect([...scripted.api.jobs.keys()].map((id) => id.at(-1))).toEqual(['1', '2']);
  });

  it('is cancelled on the server when the run is', async () => {
    await using scripted = await openScripted(answerOf(1), {
      run: async (_, signal) => {
        await once(signal, 'abort');
        return answerOf(1);
      },
    });
    await using session = await scripted.open();
    const stop = new AbortController();
    const reading = readAll(session, QUERY, stop.signal);
    await until(() => scripted.api.jobs.size === 1);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    const [job] = [...scripted.api.jobs.values()];
    expect(scripted.api.calls.filter(({ path }) => path.endsWith('/cancel'))).toHaveLength(1);
    expect(job?.failure?.reason).toBe('stopped');
  });

  it('that somebody else cancels is tried again', async () => {
    await using scripted = await openScripted(answerOf(1), {
      run: () =>
        Promise.reject({ status: 400, reason: 'stopped', message: 'Job execution was cancelled: User requested' }),
    });
    await using session = await scripted.open();
    await expect(readAll(session, QUERY)).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST' });
  });
});

describe('the probe', () => {
  const probeWith = async (path: RegExp, reason: string, message: string) => {
    await using scripted = await openScripted(answerOf(1));
    scripted.api.fault = (call) =>
      path.test(call.path)
        ? { status: 403, body: JSON.stringify({ error: { code: 403, message, errors: [{ reason, message }] } }) }
        : undefined;
    await using session = await scripted.open();
    return (await session.probe(NEVER)).find(({ status }) => status === 'failed');
  };

  it.each<readonly [string, RegExp, string, string, string]>([
    [
      'to look at the dataset',
      /^\/datasets\/shop$/,
      'Permission bigquery.datasets.get denied',
      'use_objects',
      'dataViewer',
    ],
    ['to make jobs', /^\/jobs$/, 'User does not have bigquery.jobs.create permission', 'read', 'jobUser'],
    ['to list tables', /\/tables$/, 'Permission bigquery.tables.list denied', 'read', 'dataViewer'],
  ])('names the role that is missing %s', async (_, path, ...[message, name, role]) => {
    expect(await probeWith(path, 'accessDenied', `Access Denied: ${message}`)).toEqual({
      name,
      status: 'failed',
      message: expect.stringContaining(`roles/bigquery.${role}`),
    });
  });

  it('names the field that is wrong', async () => {
    expect(await probeWith(/^\/datasets\/shop$/, 'notFound', 'Not found: Dataset my-project:shop')).toMatchObject({
      name: 'use_objects',
      message: expect.stringContaining('config.dataset_id'),
    });
    await using scripted = await openScripted(answerOf(1));
    await using session = await scripted.open({ region: 'US' });
    expect((await session.probe(NEVER)).find(({ status }) => status === 'failed')).toMatchObject({
      name: 'use_objects',
      message: expect.stringContaining('config.region is US'),
    });
  });
});
