// The steps of docs/inputs.md and docs/data-plans.md, one after the other in one shell.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { README } from '../../tools/readme-tables.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { answers, beginGuide, blocksOf, type Guide } from '../support/runner/guide-shell.ts';

const page = (name: string) => join(ROOT, 'docs', name);

async function feeds({ type }: Guide): Promise<void> {
  const [make = '', send = '', look = '', stop = '', ...more] = blocksOf(page('inputs.md'), 'Feeds');
  expect(more).toEqual([]);
  await type(make);
  const sent = await type(send);
  expect(sent).toMatch(/^202\n/);
  expect(answers(sent)).toMatchObject([{ mpid: expect.stringMatching(/^\d+$/) }]);
  const [batch, feed, taken, foreign] = answers(await type(look));
  expect(batch).toMatchObject({ batch: { user_identities: { email: 'fay@example.com' } } });
  expect(feed).toMatchObject({ data: [{ name: 'warehouse', is_active: true }] });
  expect(JSON.stringify(feed)).not.toContain('secret');
  expect([taken, foreign]).toMatchObject([{ statusCode: 409 }, { statusCode: 403 }]);
  expect(await type(stop)).toContain('not active');
}

async function dataPlans({ type }: Guide): Promise<void> {
  const [register = '', name = '', wrong = '', keep = '', ...more] = blocksOf(page('data-plans.md'), 'Step by step');
  expect(more).toEqual([]);
  expect(answers(await type(register))).toMatchObject([
    { id: 'shop-plan', versions: [{ status: 'active' }, { status: 'draft' }] },
  ]);
  const [pipeline, dryRun] = answers(await type(name));
  expect(pipeline).toMatchObject({ data_plan_id: 'shop-plan', warnings: [] });
  const plan = { context: { data_plan: { plan_id: 'shop-plan', plan_version: 1 } } };
  expect(dryRun).toMatchObject({ batches: [plan, plan] });
  expect(answers(await type(wrong))).toMatchObject([
    { warnings: [{ message: 'Version 2 of the data plan "shop-plan" is draft.' }] },
    { statusCode: 400, errors: [{ message: expect.stringContaining('data_plan_version') }] },
    { statusCode: 400, errors: [{ message: expect.stringContaining('data_plan_id') }] },
  ]);
  const inUse = { statusCode: 409, errors: [{ message: expect.stringContaining('"orders-to-events"') }] };
  expect(answers(await type(keep))).toMatchObject([inUse, inUse]);
}

test('feeds and data plans, step by step', async () => {
  const [begin = '', names = '', file = '', token = '', define = '', watch = ''] = blocksOf(
    README,
    'Define your own pipeline',
  );
  const [orders = '', defineEvents = ''] = blocksOf(README, 'Events from a pipeline');
  await using guide = await beginGuide(begin, names);
  for (const block of [file, token, define, watch]) await guide.type(block);
  await feeds(guide);
  for (const block of [orders, defineEvents]) await guide.type(block);
  await dataPlans(guide);
}, 900_000);
