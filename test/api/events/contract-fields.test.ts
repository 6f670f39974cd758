// Every field and allowed value of a batch over HTTP (docs/spec/events.md): valid ones are kept, others are refused at
// their path.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/kernel/index.ts';
import { type EventsApi, openEventsApi } from '../../support/apis/events-api.ts';
import { type FieldCase, fieldCases } from '../../support/batches/contract-cases.ts';
import { readLog } from '../../support/batches/deliver-batches.ts';

const CASES = fieldCases();
const AT_ONCE = 128;

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi();
  expect(await api.put('/settings', { limits: { batches_per_second: 100_000 } })).toBe(200);
});
afterAll(() => api[Symbol.asyncDispose]());

interface Sending {
  readonly of: FieldCase;
  readonly text: string;
}

/** Answers in order; many at once, as clients come. */
async function sendAll(of: (one: FieldCase) => readonly unknown[]) {
  const all: readonly Sending[] = CASES.flatMap((one) =>
    of(one).map((batch) => ({ of: one, text: stringifyJson(batch) })),
  );
  const answers: (Sending & { readonly status: number; readonly messages: readonly string[] })[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const answered = await Promise.all(some.map(({ text }) => api.post('/v2/events', text)));
    answers.push(
      ...some.map((one, index) => ({ ...one, status: 0, messages: [], ...answered[index], text: one.text })),
    );
  }
  return answers;
}

describe('every field', () => {
  test('is covered: more than 800 in 17 kinds of event', () => {
    expect(CASES.length).toBeGreaterThan(800);
    expect(new Set(CASES.map(({ name }) => /\((\w+)\)/.exec(name)?.[1])).size).toBe(18);
  });

  test('is kept with each value of its type', async () => {
    const before = (await readLog(api.access.store)).length;
    const answers = await sendAll(({ accepted }) => accepted);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.map(({ of, text, messages }) => [of.name, text, ...messages])).toEqual([]);
    expect((await readLog(api.access.store)).length - before).toBe(answers.length);
  });

  test('is refused with values of other types, with one complaint at its path, and nothing is kept', async () => {
    const before = (await readLog(api.access.store)).length;
    const answers = await sendAll(({ refused }) => refused);
    const wrong = answers.filter(
      ({ of, status, messages }) => status !== 400 || messages.length !== 1 || !messages[0]?.startsWith(`${of.path}: `),
    );
    expect(wrong.map(({ of, text, status, messages }) => [of.name, text, status, ...messages])).toEqual([]);
    expect((await readLog(api.access.store)).length).toBe(before);
  });
});
