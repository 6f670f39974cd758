// The steps of the pages that build on those of the README and its first pages, typed after them in the same shell.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { answers, beginGuide, blocksOf, FIRST_STEPS, type Guide, pageOf } from '../support/runner/guide-shell.ts';

const FIRST = 'a7551968-d5d6-44b2-9831-815ac9017798';

/** Runs the steps of the first pages; fills in what the block before has shown. */
async function typeFirstPages({ type }: Guide): Promise<void> {
  const pages = ['pipelines.md', 'events.md', 'events-http.md'].flatMap((name) => blocksOf(pageOf(name)));
  const requests = blocksOf(pageOf('identity.md'), 'Identity requests');
  const blocks = [FIRST_STEPS.token, FIRST_STEPS.define, ...pages, ...requests];
  let written = '';
  for (const block of blocks) {
    const shown = (pattern: RegExp) => pattern.exec(written)?.[1] ?? '';
    const filled = block
      .replace('KEY=…', () => `KEY=${shown(/^key +(\S+)$/m)}`)
      .replace('SECRET=…', () => `SECRET=${shown(/^secret +(\S+)$/m)}`)
      .replace('MPID=…', () => `MPID=${shown(/"mpid":"(\d+)"/)}`);
    written = await type(filled);
  }
}

async function groups({ type }: Guide): Promise<void> {
  const [define = '', run = '', change = '', ...more] = blocksOf(pageOf('groups.md'));
  expect(more).toEqual([]);
  expect(answers(await type(define))).toMatchObject([{ id: 'same-plan', attributes: [{ id: 'seats', type: 'sum' }] }]);
  const ran = await type(run);
  expect(ran).toMatch(/^status +success$/m);
  const seats = (person: object | undefined) =>
    (person as { attributes: readonly { name: string; value: unknown }[] }).attributes.find(
      ({ name }) => name === 'same-plan:seats',
    )?.value;
  expect(seats(answers(ran).at(-1))).toBe(15);
  const [patched, before, after, without] = answers(await type(change));
  expect(patched).toMatchObject({ attributes: [{ id: 'seats', type: 'average' }] });
  expect([before, after, without].map(seats)).toEqual([undefined, 7.5, undefined]);
}

async function requests({ type }: Guide): Promise<void> {
  const text = readFileSync(pageOf('data-subject-requests.md'), 'utf8');
  const [key = '', ...blocks] = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  await type(key);
  const told: unknown[] = [];
  for (const block of blocks) told.push(JSON.parse(await type(block)));
  expect(told).toEqual([
    expect.objectContaining({ subject_request_id: FIRST, encoded_request: expect.any(String) }),
    expect.objectContaining({ subject_request_id: FIRST, request_status: 'pending', group_id: 'january' }),
    [expect.objectContaining({ subject_request_id: FIRST })],
    expect.objectContaining({ subject_request_id: FIRST, expected_completion_time: null }),
    expect.objectContaining({ api_version: '3.0' }),
    expect.objectContaining({ subject_request_id: expect.stringMatching(/^b/), received_time: expect.any(String) }),
    expect.objectContaining({ subject_request_id: expect.stringMatching(/^c/), received_time: expect.any(String) }),
  ]);
}

async function partners({ type }: Guide): Promise<void> {
  const [add = '', request = '', ...more] = blocksOf(pageOf('partners.md'));
  expect(more).toEqual([]);
  const [added, shown] = answers(await type(add));
  expect(shown).toEqual(added);
  expect(added).toMatchObject({ id: 'mail-house', auth: { type: 'bearer', token: '************' } });
  const [, status] = answers(await type(request));
  expect(status).toMatchObject({
    request_status: 'pending',
    extensions: [{ domain: 'mail.example.com', name: 'The mail house' }],
  });
}

/** Expects the answer that the page shows, and a purchase. */
async function analytics({ type }: Guide): Promise<void> {
  const text = readFileSync(pageOf('analytics.md'), 'utf8');
  const blocksIn = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
  const [call = '', ...more] = blocksIn('sh');
  expect(more).toEqual([]);
  expect(await type(call)).toBe(blocksIn('json')[0]);
  const batches = answers(await type('call "$WS/batches"'));
  expect(batches.map(({ batch }) => batch)).toContainEqual(
    expect.objectContaining({
      user_identities: { customer_id: 'u-1' },
      events: [
        expect.objectContaining({
          data: expect.objectContaining({
            product_action: expect.objectContaining({ action: 'purchase', total_amount: 19.9 }),
          }),
        }),
      ],
    }),
  );
}

/** Expects all orders in the dry run: the page's pipeline is new, whatever was run before. */
async function dataPlans({ type }: Guide): Promise<void> {
  const [register = '', name = '', wrong = '', keep = '', ...more] = blocksOf(pageOf('data-plans.md'));
  expect(more).toEqual([]);
  expect(answers(await type(register))).toMatchObject([
    { id: 'shop-plan', versions: [{ status: 'active' }, { status: 'draft' }] },
  ]);
  const [pipeline, dryRun] = answers(await type(name));
  expect(pipeline).toMatchObject({ data_plan_id: 'shop-plan', warnings: [] });
  const plan = { context: { data_plan: { plan_id: 'shop-plan', plan_version: 1 } } };
  expect(dryRun).toMatchObject({ row_count: 4, batches: Array(4).fill(plan) });
  expect(answers(await type(wrong))).toMatchObject([
    { warnings: [{ message: 'Version 2 of the data plan "shop-plan" is draft.' }] },
    { statusCode: 400, errors: [{ message: expect.stringContaining('data_plan_version') }] },
    { statusCode: 400, errors: [{ message: expect.stringContaining('data_plan_id') }] },
  ]);
  const inUse = { statusCode: 409, errors: [{ message: expect.stringContaining('"planned-orders"') }] };
  expect(answers(await type(keep))).toMatchObject([inUse, inUse]);
}

test('the first pages, then groups, data plans, data subject requests, partners and analytics, in one shell', async () => {
  await using guide = await beginGuide();
  await typeFirstPages(guide);
  await groups(guide);
  await dataPlans(guide);
  await requests(guide);
  await partners(guide);
  await analytics(guide);
}, 900_000);
