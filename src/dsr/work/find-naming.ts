import { setImmediate } from 'node:timers/promises';
import type { KeptRecord, NamesIn, NamesPerson } from '../../identity/index.ts';

/** Records that `namesIn` checks at a time. */
const SLICE_RECORDS = 50;
/**
 * Records between two turns of the event loop. A record of 128 KB takes some ten milliseconds; most take a hundredth of one.
 */
const TURN_RECORDS = 4;

/** Records that name the people searched for. */
export interface Naming<Ref> {
  readonly found: readonly KeptRecord<Ref>[];
  /** Tells where a record names one of them. */
  readonly namesPerson: NamesPerson;
}

export async function findNaming<Ref>(records: readonly KeptRecord<Ref>[], namesIn: NamesIn): Promise<Naming<Ref>> {
  const found: KeptRecord<Ref>[] = [];
  const matchers: NamesPerson[] = [];
  for (let from = 0; from < records.length; from += SLICE_RECORDS) {
    const slice = records.slice(from, from + SLICE_RECORDS);
    const { named, namesPerson } = await findInSlice(slice, namesIn);
    if (named.length > 0) matchers.push(namesPerson);
    found.push(...named);
  }
  return { found, namesPerson: (value, meaningsOf) => matchers.some((names) => names(value, meaningsOf)) };
}

async function findInSlice<Ref>(slice: readonly KeptRecord<Ref>[], namesIn: NamesIn) {
  const read: { readonly record: KeptRecord<Ref>; readonly value: unknown }[] = [];
  for await (const record of inTurns(slice)) read.push({ record, value: record.read() });
  const namesPerson = await namesIn(read.map(({ record, value }) => ({ value, meaningsOf: record.meaningsOf })));
  const named: KeptRecord<Ref>[] = [];
  for await (const { record, value } of inTurns(read)) if (namesPerson(value, record.meaningsOf)) named.push(record);
  return { named, namesPerson };
}

async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  for (const [index, item] of items.entries()) {
    if (index % TURN_RECORDS === TURN_RECORDS - 1) await setImmediate();
    yield item;
  }
}
