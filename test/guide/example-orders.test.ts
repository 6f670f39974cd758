// The steps of examples/orders-to-events, typed as they stand there.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { answers, beginGuide, blocksOf } from '../support/runner/guide-shell.ts';

const PAGE = join(ROOT, 'examples/orders-to-events/README.md');

test('orders become events and customers get their MPIDs, step by step', async () => {
  const [begin = '', names = '', make = '', ...more] = blocksOf(PAGE, 'Step by step');
  const [define = '', run = '', kept = '', ...afterOrders] = blocksOf(PAGE, 'Orders become purchases');
  const [feed = '', write = '', ...afterWriting] = blocksOf(PAGE, 'Customers get their MPIDs');
  const [preview = '', ...last] = blocksOf(PAGE, 'Preview of an erasure');
  expect([more, afterOrders, afterWriting, last]).toEqual([[], [], [], []]);
  await using guide = await beginGuide(begin, names);
  const { type } = guide;
  expect(answers(await type(make))).toEqual([{ orders: 4 }]);
  expect(answers(await type(define))).toMatchObject([
    { id: 'shop-file', status: 'healthy' },
    { id: 'orders-with-products', status: 'valid' },
    { id: 'orders-to-purchases', destination_type: 'events' },
    { id: 'orders-to-purchases', status: 'idle', errors: [], warnings: [] },
  ]);
  const ran = await type(run);
  expect(answers(ran)).toMatchObject([{ row_count: 4, failed_records: [{ rule: 'identity_missing' }] }]);
  expect(ran).toMatch(/^status +success$/m);
  expect(ran).toMatch(/^failed +1$/m);
  const batches = answers(await type(kept));
  const lamp = { id: 'lamp', name: 'Desk lamp', price: 19.9, quantity: 1 };
  const bulb = { id: 'bulb', name: 'Light bulb', price: 2.5, quantity: 4 };
  expect(batches.map(({ batch }) => batch)).toMatchObject([
    {
      user_identities: { customer_id: 'c-1' },
      events: [
        { data: { product_action: { total_amount: 29.9, products: [lamp, bulb] } } },
        { data: { product_action: { products: [{ id: 'desk' }] } } },
      ],
    },
    { user_identities: { customer_id: 'c-2' } },
  ]);
  const [ofAda, ofGrace] = batches.map(({ mpid }) => mpid);

  expect(answers(await type(feed))).toMatchObject([
    { id: 'customers-unknown' },
    { id: 'customers-to-mpids', errors: [] },
  ]);
  const written = await type(write);
  expect(written).toMatch(/^status +success$/m);
  expect(answers(written)).toEqual([
    { customer_id: 'c-1', email: 'ada@example.com', mpid: ofAda },
    { customer_id: 'c-2', email: 'grace@example.com', mpid: ofGrace },
    { customer_id: 'c-3', email: 'alan@example.com', mpid: expect.stringMatching(/^\d+$/) },
    { customer_id: null, email: null, mpid: null },
  ]);
  const removed = await type(preview);
  expect(removed).toMatch(/^identity +profiles +1$/m);
  expect(removed).toMatch(/^events +batches +1$/m);
}, 900_000);
