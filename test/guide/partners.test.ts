// What docs/partners.md tells people to type works as it stands there.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { README } from '../../tools/readme-tables.ts';
import { answers, beginGuide, blocksOf } from '../support/guide-shell.ts';
import { ROOT } from '../support/penstock-process.ts';

test('the steps, one by one', async () => {
  const [begin = '', names = '', , token = ''] = blocksOf(README, 'Define your own pipeline');
  const [add = '', ask = '', ...more] = blocksOf(join(ROOT, 'docs/partners.md'), 'Step by step');
  expect(more).toEqual([]);
  await using guide = await beginGuide(begin, names);
  await guide.type(token);
  const [added, shown] = answers(await guide.type(add));
  expect(shown).toEqual(added);
  expect(added).toMatchObject({ id: 'mail-house', auth: { type: 'bearer', token: '************' } });
  const [, status] = answers(await guide.type(ask));
  expect(status).toMatchObject({
    request_status: 'pending',
    extensions: [{ domain: 'mail.example.com', name: 'The mail house' }],
  });
});
