// The steps about feeds of docs/inputs.md, typed after those of the README in its shell.
import { expect, test } from 'vitest';
import { answers, beginGuide, blocksOf, FIRST_STEPS, pageOf } from '../support/runner/guide-shell.ts';

test('feeds, step by step', async () => {
  const [make = '', send = '', look = '', stop = '', ...more] = blocksOf(pageOf('inputs.md'), 'Feeds');
  expect(more).toEqual([]);
  await using guide = await beginGuide();
  const { type } = guide;
  await type(FIRST_STEPS.token);
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
}, 900_000);
