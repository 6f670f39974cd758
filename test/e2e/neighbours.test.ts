// One workspace attacks with what its admin may send; the workspace beside it is served meanwhile, and no attack ends the daemon.
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { type Neighbours, startNeighbours, type Watched } from '../support/crashes/neighbours.ts';
import { type FakePostgres, int32, openFakePostgres, says } from '../support/fakes/fake-postgres.ts';
import { completeRun } from '../support/runs/shop.ts';
import { type TemporaryHome, temporaryHome } from '../support/stores/temporary-home.ts';

/** Prints how long the neighbour waited at worst: `NEIGHBOUR_WAITS=1 npx vitest run --project store test/e2e/neighbours.test.ts`. */
const arePrinted = process.env.NEIGHBOUR_WAITS !== undefined;
const PIPELINES = '/inputs/data-pipelines';
const BASE = { name: 'a', state: 'active' };
const ENDLESS = "SELECT 'c' AS customer_id, count(*) AS n FROM range(100000000000000) AS t(i) WHERE i % 7 = 3";
/** Each would take a gigabyte and more. */
const BOMBS = [
  'len(range(400000000))',
  "length(lpad('', 2000000000, 'x'))",
  "length(repeat('x', 4000000000))",
  "length(array_to_string(range(100000000), ','))",
  "length(printf('%1000000000d', 1))",
  'cardinality(map_from_entries(list_transform(range(20000000), lambda i: (i, i))))',
];
/** On a busy machine a statement may be out of time before it is out of memory. */
const TOO_MUCH = 'PENSTOCK_DUCKDB_MEMORY_MB|PENSTOCK_WAREHOUSE_TIMEOUT_S';
const modelOf = (value: string, from = '') => `SELECT 'c' AS customer_id, ${value} AS n ${from}`;

let home: TemporaryHome;
let neighbours: Neighbours;
beforeAll(async () => {
  home = await temporaryHome();
  neighbours = await startNeighbours({
    home: home.path,
    environment: {
      ...{ PENSTOCK_WAREHOUSE_TIMEOUT_S: '4', PENSTOCK_RUN_ATTEMPTS: '1', PENSTOCK_LOG_LEVEL: 'error' },
      ...{ PENSTOCK_DUCKDB_MEMORY_MB: '64', PENSTOCK_DUCKDB_SPILL_MB: '64' },
    },
  });
  await connect('duck', { database: ':memory:' }, 'DuckDB');
}, 300_000);
afterAll(async () => {
  await neighbours?.[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

/** Answers what came of `work`, after it was seen that it cost the neighbour nothing but time. */
async function unharmed<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  const { outcome, watched } = await neighbours.beside(work);
  if (arePrinted) print(watched);
  expect(watched).toMatchObject({
    health: { statuses: [200] },
    batches: { statuses: [202] },
    gzipped: { statuses: [202] },
    runs: [completeRun(100), completeRun(100)],
  });
  // the very process that was started: nothing starts it again
  expect(() => process.kill(neighbours.pid, 0)).not.toThrow();
  return outcome;
}

function print({ health, batches, gzipped }: Watched): void {
  const waits = Object.entries({ health, batches, gzipped }).map(
    ([name, { worstMs }]) => `${name} ${worstMs.toFixed()}`,
  );
  process.stdout.write(`${expect.getState().currentTestName}: worst waits in ms: ${waits.join(', ')}\n`);
}

const connect = (id: string, config: object, service_provider: string) =>
  neighbours.attack('POST', '/connections', { ...BASE, id, service_provider, config });

/** A connection to any server; the answer shows what its check found. */
function connectTo({ host = '127.0.0.1', port }: { readonly host?: string; readonly port: number }, id: string) {
  const more = { database: 'd', user: 'u', password: 'p', sslmode: 'disable' };
  return connect(id, { host, port: String(port), ...more }, 'PostgreSQL');
}

async function model(id: string, sql_query: string): Promise<string> {
  const { status } = await neighbours.attack('POST', '/data-models', {
    ...BASE,
    id,
    type: 'sql',
    config: { sql_query },
  });
  expect(status).toBe(200);
  return id;
}

const preview = (id: string) =>
  neighbours.attack('POST', `/data-models/${id}/preview`, { connection_id: 'duck', limit: 1 });

const savePipeline = (id: string, modelId: string) =>
  neighbours.attack('POST', PIPELINES, {
    ...{ ...BASE, id, pipeline_type: 'user_attributes', connection_id: 'duck', data_model_id: modelId },
    ...{ environment: 'production', sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
  });

async function trigger(pipeline: string): Promise<string> {
  const { body } = await neighbours.attack('POST', `${PIPELINES}/trigger`, { pipeline_id: pipeline });
  return String(body.pipeline_run_id);
}

const readRun = async (pipeline: string, run: string) =>
  (await neighbours.attack('GET', `${PIPELINES}/${pipeline}/runs/${run}`)).body;

const hasBegun = async ({ id, run }: { readonly id: string; readonly run: string }) =>
  (await readRun(id, run)).status === 'running';

const untilOver = (pipeline: string, id: string) =>
  until(async () => {
    const run = await readRun(pipeline, id);
    return run.ended_on === null ? undefined : run;
  });

async function serve(...behave: Parameters<typeof openFakePostgres>): Promise<FakePostgres> {
  const server = await openFakePostgres(...behave);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe('the neighbour is served while another workspace', () => {
  it.each(BOMBS.map((bomb, index) => [bomb, `bomb-${index}`]))('previews and saves %s', async (bomb, id) => {
    const outcome = await unharmed(async () => {
      await model(id, modelOf(bomb));
      return Promise.all([preview(id), savePipeline(id, id)]);
    });
    const [previewed, saved] = outcome;
    expect([400, 504]).toContain(previewed.status);
    expect(previewed.body).toMatchObject(refusal(TOO_MUCH));
    // a pipeline is saved whose columns are known without the value
    if (saved.status !== 200) expect(saved.body).toMatchObject(refusal(TOO_MUCH));
  });

  it('has a run whose model takes all memory', async () => {
    const outcome = await unharmed(async () => {
      await model('later', modelOf('1'));
      await savePipeline('later', 'later');
      const sql_query = modelOf('len(range(400000000 + i))', 'FROM range(1) AS t(i)');
      const later = { ...BASE, id: 'later', type: 'sql', config: { sql_query } };
      const changed = await neighbours.attack('PUT', '/data-models/later', later);
      return { changed, run: await untilOver('later', await trigger('later')) };
    });
    expect(outcome).toMatchObject({
      changed: { status: 200 },
      run: { status: 'failed', ...refusal(TOO_MUCH) },
    });
  });

  it('connects to the daemon itself, by whatever name', async () => {
    const port = Number(new URL(neighbours.url).port);
    for (const host of ['127.0.0.1', 'localhost', '127.8.8.8', '::1']) {
      const outcome = await connectTo({ host, port }, 'self');
      const said = `${host}:${port} is Penstock’s own store or the daemon itself`;
      expect(outcome).toMatchObject({ status: 400, body: refusal(said) });
    }
  });

  it('connects to a server whose error is a text of 1.4 MB', async () => {
    const said = 'permission denied to create temporary tables in database ';
    const server = await serve(() => [says.error('42501', said.repeat(24_000))]);
    const outcome = await unharmed(() => connectTo(server, 'talker'));
    expect(outcome).toMatchObject({ status: 200, body: { status: 'faulted', ...refusal(`^The warehouse: ${said}`) } });
    expect(JSON.stringify(outcome.body).length).toBeLessThan(5000);
  });

  it('has more endless runs than the daemon has workers', async () => {
    const ids = ['endless-1', 'endless-2', 'endless-3', 'endless-4'];
    await model('endless', ENDLESS);
    for (const id of ids) expect(await savePipeline(id, 'endless')).toMatchObject({ status: 200 });
    const outcome = await unharmed(async () => {
      const triggered = await Promise.all(ids.map(async (id) => ({ id, run: await trigger(id) })));
      await until(async () => (await Promise.all(triggered.map(hasBegun))).includes(true));
      const own = await neighbours.run();
      return { own, runs: await Promise.all(triggered.map(({ id, run }) => untilOver(id, run))) };
    });
    for (const run of outcome.runs) {
      expect(run).toMatchObject({ status: 'failed', ...refusal('did not finish .* PENSTOCK_WAREHOUSE_TIMEOUT_S') });
    }
    // it waited for none of them to end
    const [firstEnd] = outcome.runs.map(({ ended_on: end }) => String(end)).sort();
    expect(outcome.own).toMatchObject(completeRun(100));
    expect(String(outcome.own.started_on) < String(firstEnd)).toBe(true);
  });

  it('spills to disk without end', async () => {
    const sql =
      'WITH a AS MATERIALIZED (SELECT i, hash(i) AS h FROM range(20000000000) AS t(i)) ' +
      "SELECT 'c' AS customer_id, (SELECT max(h) FROM a) AS h, (SELECT min(i) FROM a) AS i";
    const outcome = await unharmed(async () => preview(await model('spill', sql)));
    expect([400, 504]).toContain(outcome.status);
    expect(outcome.body).toMatchObject(refusal('PENSTOCK_DUCKDB_SPILL_MB|PENSTOCK_WAREHOUSE_TIMEOUT_S'));
  });

  it('has six endless previews at once', async () => {
    await model('slow', ENDLESS);
    const outcome = await unharmed(() => Promise.all(Array.from({ length: 6 }, () => preview('slow'))));
    // some of them are over its share
    const statuses = new Set(outcome.map(({ status }) => status));
    expect([...statuses.difference(new Set([429, 504]))]).toEqual([]);
    expect(statuses).toContain(504);
  });

  it('connects to a server that sends a message of 2 GB', async () => {
    const server = await serve((_, socket) => flood(socket));
    const outcome = await unharmed(() => connectTo(server, 'flood'));
    const said = '2000000000 bytes.* PENSTOCK_WAREHOUSE_MESSAGE_MB';
    expect(outcome).toMatchObject({ status: 200, body: { status: 'faulted', ...refusal(said) } });
  });

  it('raises its limits over those of the operator, and sends 40 MB in a small body', async () => {
    const small = gzipSync(`{"events":[${'1,'.repeat(20_000_000)}1]}`);
    const outcome = await unharmed(async () => ({
      raised: await neighbours.attack('PUT', '/settings', { limits: { request_bytes: 100_000_000 } }),
      sent: await neighbours.attackGzipped(small),
    }));
    expect(outcome).toMatchObject({ raised: { status: 400, body: refusal('PENSTOCK_LIMIT_CEILINGS') }, sent: 413 });
  });
});

/** The one error of an answer or a run, by what it says. */
function refusal(pattern: string) {
  return { errors: [{ message: expect.stringMatching(new RegExp(pattern, 's')) }] };
}

/** Sends a message that says it has 2 GB for as long as anybody reads it. */
function flood(socket: Socket): readonly Buffer[] {
  socket.write(Buffer.concat([Buffer.from('D'), int32(2_000_000_000)]));
  const more = () => {
    while (!socket.destroyed && socket.write(Buffer.alloc(1 << 20)));
  };
  socket.on('drain', more);
  more();
  return [];
}
