import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFeed } from '../../../src/access/feeds/create-feed.ts';
import { AppError } from '../../../src/kernel/index.ts';
import {
  type Answer,
  connectionBody,
  messages,
  modelBody,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
} from '../../support/apis/sync-api.ts';
import { column } from '../../support/fakes/scripted-warehouse.ts';

const PEOPLE = [column('mpid', 'integer', 'BIGINT'), column('email', 'text'), column('name', 'text')];
const full = { sync_mode: { type: 'full' } };

let api: SyncApi;
let feeds: Readonly<Record<'duckdb' | 'alpha' | 'shop', number>>;
beforeAll(async () => {
  api = await openSyncApi();
  api.warehouse.tables.set('people', PEOPLE.slice(0, 2));
  api.warehouse.tables.set('customers', PEOPLE);
  await api.admin.post('/connections', connectionBody);
  feeds = { duckdb: await someFeed('duckdb'), alpha: await someFeed('snowflake'), shop: await someFeed('shop') };
});
afterAll(() => api[Symbol.asyncDispose]());

async function someFeed(moduleName: string): Promise<number> {
  const caller = { workspaceId: api.admin.workspaceId, actor: 'test' } as Parameters<typeof createFeed>[1];
  const { feed } = await createFeed(api.deps, caller, { module_name: moduleName, name: moduleName });
  return Number(feed.id);
}

let count = 0;
/** A pipeline over a model of its own. */
async function post(sql: string, changes: object = {}): Promise<Answer & { readonly model: string }> {
  const id = `m-${++count}`;
  await api.admin.post('/data-models', { ...modelBody, id, config: { sql_query: sql } });
  const body = {
    ...pipelineBody,
    ...full,
    id: `p-${count}`,
    data_model_id: id,
    partner_feed_id: feeds.duckdb,
    ...changes,
  };
  return { ...(await api.admin.post(PIPELINES, body)), model: id };
}

describe('a pipeline whose feed is a warehouse and whose model projects MPID', () => {
  it('is saved when the model keeps the rules of a write-back model', async () => {
    expect((await post('SELECT mpid, email FROM people WHERE mpid IS NULL')).status).toBe(200);
    expect((await post('SELECT email, MPID FROM people', { partner_feed_id: feeds.alpha })).status).toBe(200);
  });

  it.each([
    ['SELECT mpid, email FROM people ORDER BY email;', ['column 46: A trailing semicolon', 'column 32: ORDER BY is']],
    ['SELECT * FROM people', ['column 8: * is not allowed; name each column']],
    ['SELECT mpid, email, name FROM customers', ['column 21: "name" is not a reserved identity name']],
  ])('is refused with every rule that %j breaks', async (sql, rules) => {
    const answer = await post(sql);
    expect(answer.status).toBe(400);
    const prefix = `data_model_id: MPIDs cannot be written back with the data model "${answer.model}": Line 1, `;
    expect(answer.body.errors).toEqual(rules.map((rule) => ({ message: expect.stringContaining(`${prefix}${rule}`) })));
  });

  it('is refused with the rules that it breaks first, and then with what the warehouse itself says against it', async () => {
    const sql = 'SELECT mpid, max(email) AS email FROM nowhere JOIN people USING (mpid) GROUP BY 1';
    const { model, body, status } = await post(sql);
    const said = messages({ status, body }).split('; ');
    expect(status).toBe(400);
    expect(said.at(-1)).toContain(`the data model "${model}" does not work over the connection`);
    const ofRules = body.errors.slice(0, -1).map(({ message }: { readonly message: string }) => message);
    for (const rule of ['JOIN', 'max(email)']) expect(ofRules.join()).toContain(rule);
    const good = await post('SELECT mpid, email FROM people');
    const put = { ...modelBody, id: good.model, config: { sql_query: sql } };
    const refused = await api.admin.put(`/data-models/${good.model}`, put);
    expect([refused.status, refused.body.errors]).toMatchObject([400, { length: body.errors.length }]);
  });

  it('is refused by its text alone when the warehouse is away', async () => {
    api.warehouse.failure = new AppError('WAREHOUSE_UNREACHABLE', 'No route to the warehouse.');
    const named = await post('SELECT mpid, email FROM people LIMIT 5');
    const unknown = await post('SELECT * FROM people');
    api.warehouse.failure = undefined;
    expect([named.status, messages(named)]).toEqual([400, expect.stringContaining('LIMIT is not allowed')]);
    expect(unknown.status).toBe(200);
  });

  it('is refused with an iterator, which its model could not project', async () => {
    const { sync_mode } = pipelineBody;
    const answer = await post('SELECT mpid, email FROM people', { sync_mode });
    expect([answer.status, messages(answer)]).toEqual([
      400,
      expect.stringContaining('sync_mode: is incremental or has'),
    ]);
  });
});

describe('other pipelines may run models that break those rules', () => {
  it.each([
    ['no feed', 'SELECT * FROM people ORDER BY email;', () => ({ partner_feed_id: null })],
    ['a feed that is no warehouse', 'SELECT * FROM people ORDER BY email', () => ({ partner_feed_id: feeds.shop })],
    ['a model without MPID', 'SELECT email, name FROM customers LIMIT 5', () => ({})],
  ])('with %s', async (what, sql, changes) => {
    if (what === 'a model without MPID') api.warehouse.tables.set('customers', PEOPLE.slice(1));
    expect((await post(sql, changes())).status).toBe(200);
    api.warehouse.tables.set('customers', PEOPLE);
  });
});

describe('a PUT of the model of a write-back pipeline', () => {
  it('is refused, and names the pipeline and the rule, when the new text breaks one', async () => {
    const { model, body } = await post('SELECT mpid, email FROM people');
    const put = (sql: string) =>
      api.admin.put(`/data-models/${model}`, { ...modelBody, id: model, config: { sql_query: sql } });
    expect((await put('SELECT mpid, email FROM people WHERE mpid IS NULL')).status).toBe(200);
    const refused = await put('SELECT mpid, email FROM people -- all');
    expect([refused.status, messages(refused)]).toEqual([
      400,
      expect.stringContaining(`config.sql_query: does not fit the pipeline "${body.id}", which uses it: data_model_id`),
    ]);
    expect(messages(refused)).toContain('Comments are not allowed in a write-back model; remove them.');
    expect((await api.admin.get(`/data-models/${model}`)).body.config.sql_query).toContain('IS NULL');
  });
});
