// The steps of docs/groups.md, docs/data-subject-requests.md, docs/partners.md and docs/analytics.md, typed after those of the README in its shell.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { README } from '../../tools/readme-tables.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { answers, beginGuide, blocksOf, type Guide } from '../support/runner/guide-shell.ts';

const page = (name: string) => join(ROOT, 'docs', name);
const FIRST = 'a7551968-d5d6-44b2-9831-815ac9017798';

/** What a person fills in is taken from what the block before has shown. */
async function typeReadme({ type }: Guide): Promise<void> {
  const [, , ...define] = blocksOf(README, 'Define your own pipeline');
  const chapters = ['Events from a pipeline', 'Events over HTTP', 'Who somebody is'];
  const blocks = [...define, ...chapters.flatMap((chapter) => blocksOf(README, chapter))];
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
  const [define = '', run = '', change = '', ...more] = blocksOf(page('groups.md'), 'Step by step');
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
  const text = readFileSync(page('data-subject-requests.md'), 'utf8');
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
  const [add = '', request = '', ...more] = blocksOf(page('partners.md'), 'Step by step');
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

/** The answer of the call is as the page shows it, and the call is a purchase. */
async function analytics({ type }: Guide): Promise<void> {
  const text = readFileSync(page('analytics.md'), 'utf8');
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

test('the README, then groups, data subject requests, partners and analytics, in one shell', async () => {
  const [begin = '', names = ''] = blocksOf(README, 'Define your own pipeline');
  await using guide = await beginGuide(begin, names);
  await typeReadme(guide);
  await groups(guide);
  await requests(guide);
  await partners(guide);
  await analytics(guide);
}, 900_000);
