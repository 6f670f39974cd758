// The commands of the README, and of the pages that go on in its shell, work as they stand there.
import { expect, test } from 'vitest';
import { parseJson } from '../../src/kernel/index.ts';
import { answers, beginGuide, blocksOf, FIRST_STEPS, pageOf } from '../support/runner/guide-shell.ts';

test('the README, pipelines, events, events over HTTP, identity requests, lookup and export, step by step', async () => {
  const [report = '', again = '', ...more] = blocksOf(pageOf('pipelines.md'));
  const [orders = '', defineEvents = '', look = '', runEvents = '', failed = '', mend = '', ...further] = blocksOf(
    pageOf('events.md'),
  );
  const [makeKey = '', useKey = '', send = '', sendAgain = '', bulk = '', web = '', ...last] = blocksOf(
    pageOf('events-http.md'),
  );
  const [identify = '', login = '', useMpid = '', modify = '', ...rest] = blocksOf(
    pageOf('identity.md'),
    'Identity requests',
  );
  const [lookUp = '', audit = '', wayOut = '', ...end] = blocksOf(pageOf('profiles-and-export.md'));
  expect([more, further, last, rest, end]).toEqual([[], [], [], [], []]);
  await using guide = await beginGuide();
  const { type, shown } = guide;
  await type(FIRST_STEPS.token);
  const defined = await type(FIRST_STEPS.define);
  expect(answers(defined)).toMatchObject([
    { id: 'files', status: 'healthy' },
    { id: 'people', status: 'valid' },
    { id: 'people-to-profiles', errors: [], warnings: [{ message: expect.stringContaining('schedule.delay') }] },
  ]);
  expect(defined).toContain('identity_missing');

  const shownReport = await type(report);
  expect(shownReport).toContain('success');
  expect(answers(shownReport).at(-1)).toMatchObject({
    status: 'idle',
    connection_status: 'healthy',
    latest_pipeline_run: { status: 'success', extracted_records: 4, successful_records: 3, failed_records: 1 },
  });

  const ran = await type(again);
  expect(ran).toMatch(/^status +success$/m);
  expect(ran).toMatch(/^extracted +1$/m);

  await type(orders);
  expect(answers(await type(defineEvents))).toMatchObject([
    { id: 'orders', destination_type: 'events' },
    { id: 'orders', status: 'valid' },
    { id: 'orders-to-events', status: 'idle', errors: [], warnings: [] },
  ]);
  const [preview, dryRun] = answers(await type(look));
  expect(preview).toMatchObject({
    columns: [
      ...['order_id', 'customer_id', 'amount', 'note'].map((name) => ({ name })),
      { name: 'ordered_at', type: 'TIMESTAMP WITH TIME ZONE' },
    ],
    rows: [
      ['o-1', 'c-1', 19.9, 'gift', expect.any(String)],
      ['o-2', 'c-1', 5, null, expect.any(String)],
    ],
  });
  const purchase = (id: string, amount: number) => ({
    event_type: 'commerce_event',
    data: { product_action: { action: 'purchase', transaction_id: id, total_amount: amount } },
  });
  expect(dryRun).toMatchObject({
    row_count: 4,
    cost_estimate: null,
    batches: [
      { user_identities: { customer_id: 'c-1' }, events: [purchase('o-1', 19.9), purchase('o-2', 5)] },
      { user_identities: { customer_id: 'c-2' }, events: [purchase('o-3', 7.25)] },
    ],
    failed_records: [{ row: { order_id: 'o-4' }, rule: 'identity_missing' }],
  });
  expect(answers(await type(runEvents)).at(-1)).toMatchObject({
    pipeline_id: 'orders-to-events',
    latest_pipeline_run: { status: 'success', extracted_records: 4, successful_records: 3, failed_records: 1 },
  });

  expect(answers(await type(failed))).toMatchObject([
    { items: [{ id: 1, row: { order_id: 'o-4' }, rule: 'identity_missing', retried_on: null }] },
  ]);
  expect(await type(mend)).toMatch(/ success: 1 rows read, 0 failed\n$/);

  const key = await type(makeKey);
  const part = (field: string) => new RegExp(`^${field} +(\\S+)$`, 'm').exec(key)?.[1] ?? '';
  await type(useKey.replace('KEY=…', `KEY=${part('key')}`).replace('SECRET=…', `SECRET=${part('secret')}`));
  expect(await type(send)).toBe('202\n');
  expect(await type(sendAgain)).toMatch(/^202\n.*events\[0\]\.data\.product_action\.action: must be one of.*400\n$/s);
  const [accepted, rejected] = (await type(bulk)).split('\n');
  expect([accepted, parseJson(rejected ?? '')]).toMatchObject([
    '202',
    { items: [{ path: '/v2/bulkevents', errors: [{ path: 'ip' }], batch: { ip: 'somewhere' } }] },
  ]);
  expect(await type(web)).toBe('202\n');

  const [anonymous] = answers(await type(identify));
  expect(anonymous).toMatchObject({ is_ephemeral: false, is_logged_in: false });
  expect(anonymous).toHaveProperty('matched_identities', {});
  const { mpid } = anonymous as unknown as { mpid: string };
  expect(answers(await type(login))).toMatchObject([
    { mpid, is_logged_in: true, matched_identities: { email: 'ann@example.org' } },
  ]);
  await type(useMpid.replace('MPID=…', `MPID=${mpid}`));
  expect(answers(await type(modify))).toMatchObject([
    { change_results: [{ modified_mpid: mpid }, { identity_type: 'mobile_number', modified_mpid: mpid }] },
    { mpid },
    { ErrorCode: 'NOT_FOUND_ERROR' },
    { is_logged_in: false, mpid: expect.not.stringMatching(mpid) },
  ]);

  const [found, person] = answers(await type(lookUp));
  expect(found).toMatchObject({ items: [{ environment: 'production', identities: expect.any(Array) }] });
  expect(person).toMatchObject({
    batches: [
      { batch: { events: [{ event_type: 'custom_event', data: { event_name: 'Searched' } }] } },
      { batch: { events: [{ event_type: 'screen_view', data: { screen_name: 'Prices' } }] } },
    ],
  });
  expect(person?.batches).toMatchObject([{ input_key: part('key') }, { input_key: part('key') }]);
  const looked = { action: 'profile.read', actor: shown('client_id') };
  expect(answers(await type(audit))).toMatchObject([{ items: [looked, looked, looked] }]);
  expect(await type(wayOut)).toMatch(/^ *3 .*batches\.ndjson\n *\d+ .*profiles\.ndjson\n/);
}, 900_000);
