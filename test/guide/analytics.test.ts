// What docs/analytics.md tells people to type works as it stands there.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openEventsApi } from '../support/events-api.ts';
import { ROOT } from '../support/penstock-process.ts';

const run = promisify(execFile);
const page = readFileSync(join(ROOT, 'docs', 'analytics.md'), 'utf8');
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);

test('the call of the page about analytics SDKs is answered as it says, and is a purchase', async () => {
  await using api = await openEventsApi(['write_key']);
  const [call = '', ...more] = blocksOf('sh');
  const [answer] = blocksOf('json');
  expect(more).toEqual([]);
  const env = { PATH: process.env.PATH, PENSTOCK: await api.server.listen(), KEY: api.input.key };
  try {
    const { stdout } = await run('bash', ['-c', call], { env });
    expect(stdout.trim()).toBe(answer?.trim());
  } finally {
    await api.server.close(0);
  }
  const [row] = await api.access.store.query<{ text: string }>('SELECT text FROM event_batches');
  expect(JSON.parse(row?.text ?? '')).toMatchObject({
    user_identities: { customer_id: 'u-1' },
    events: [{ data: { product_action: { action: 'purchase', total_amount: 19.9 } } }],
  });
});
