// Sends mutated batches to the events API: each must be kept unchanged, or refused with the path of its fault.
import { isIP } from 'node:net';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { expect } from 'vitest';
import { EventBatch } from '../../../src/events/contract/batch.ts';
import { MOST_DEPTH } from '../../../src/http/body/parse-body.ts';
import type { EventsApi } from '../apis/events-api.ts';
import { readLog } from './deliver-batches.ts';
import { type Mutant, mutants } from './mutate-batch.ts';

const AT_ONCE = 50;
const RATE = { limits: { batches_per_second: 100_000 } };

/** Sends so many mutants, or a few more, some of them at once. Answers how many were kept. */
export async function fuzzEvents(api: EventsApi, batches: number): Promise<number> {
  expect(await api.put('/settings', RATE)).toBe(200);
  const rounds = fc.asyncProperty(fc.array(mutants, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (some) => {
    const answers = await Promise.all(some.map(({ text }) => api.post('/v2/events', text)));
    const wrong = answers.map(({ status, messages }, index) => problemOf(some[index] as Mutant, status, messages));
    expect(wrong.filter((problem) => problem !== undefined)).toEqual([]);
  });
  // a mutant is small enough to read; to shrink fifty of them takes minutes
  await fc.assert(rounds, { numRuns: Math.ceil(batches / AT_ONCE), endOnFailure: true });
  const kept = await readLog(api.access.store);
  expect(kept.filter(({ text }) => !fitsDocument(text))).toEqual([]);
  return kept.length;
}

/** Undefined where the answer is right. */
function problemOf(mutant: Mutant, status: number, messages: readonly string[]): object | undefined {
  if (status === 202) return fitsDocument(mutant.text) ? undefined : { kept: mutant.text, path: mutant.path };
  if (status === 400 && messages.some((message) => isAbout(mutant, message))) return undefined;
  return { status, messages, ...mutant };
}

/** The path of the mutation, the object it is in, or something in what was put there. */
function isAbout({ path, parent, isTag, text }: Mutant, message: string): boolean {
  // so deep a body is not read, and nothing in it has a path
  if (message.startsWith('The body is nested too deeply:')) return text.includes('['.repeat(MOST_DEPTH));
  const said = message.slice(0, Math.max(0, message.indexOf(': ')));
  if (said === path || said === parent || isBelow(said, path)) return true;
  // what may be anything has a depth as a whole
  if (message.endsWith('levels deep')) return isBelow(path, said);
  // another kind of event has other fields; and one of two fields has to be there, of which the message names both
  return isBelow(said, parent) && (isTag || message.includes(path.slice(parent.length + 1)));
}

const isBelow = (path: string, above: string): boolean =>
  above === '' || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);

/** By the JSON Schema of the API's document, which is another judge than the one that let the batch in. */
function fitsDocument(text: string): boolean {
  const batch = JSON.parse(text) as { readonly ip?: string | null };
  return Check(EventBatch, batch) && (typeof batch.ip !== 'string' || isIP(batch.ip) !== 0);
}
