import { setImmediate } from 'node:timers/promises';
import type { KeptRecord, MentionMatcher, MentionSearch } from '../../identity/index.ts';

/** Records that `search` checks at a time. */
const SLICE_RECORDS = 50;
/**
 * Records between two turns of the event loop. A record of 128 KB takes some ten milliseconds; most take a hundredth of one.
 */
const TURN_RECORDS = 4;

/** Records that mention the people searched for. */
export interface Mentions<Ref> {
  readonly found: readonly KeptRecord<Ref>[];
  /** Matches the parts of a record that mention one of them. */
  readonly mentionsPerson: MentionMatcher;
}

/** Finds the records that mention a person, in slices, so that the event loop serves others meanwhile. */
export async function findMentions<Ref>(
  records: readonly KeptRecord<Ref>[],
  search: MentionSearch,
): Promise<Mentions<Ref>> {
  const found: KeptRecord<Ref>[] = [];
  const matchers: MentionMatcher[] = [];
  for (let from = 0; from < records.length; from += SLICE_RECORDS) {
    const slice = records.slice(from, from + SLICE_RECORDS);
    const { mentioning, mentionsPerson } = await findInSlice(slice, search);
    if (mentioning.length > 0) matchers.push(mentionsPerson);
    found.push(...mentioning);
  }
  return { found, mentionsPerson: (value, meaningsOf) => matchers.some((matches) => matches(value, meaningsOf)) };
}

async function findInSlice<Ref>(slice: readonly KeptRecord<Ref>[], search: MentionSearch) {
  const read: { readonly record: KeptRecord<Ref>; readonly value: unknown }[] = [];
  for await (const record of inTurns(slice)) read.push({ record, value: record.read() });
  const mentionsPerson = await search(read.map(({ record, value }) => ({ value, meaningsOf: record.meaningsOf })));
  const mentioning: KeptRecord<Ref>[] = [];
  for await (const { record, value } of inTurns(read))
    if (mentionsPerson(value, record.meaningsOf)) mentioning.push(record);
  return { mentioning, mentionsPerson };
}

async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  for (const [index, item] of items.entries()) {
    if (index % TURN_RECORDS === TURN_RECORDS - 1) await setImmediate();
    yield item;
  }
}
