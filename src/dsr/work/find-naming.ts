import { setImmediate } from 'node:timers/promises';
import type { KeptRecord, NamesIn, NamesPerson } from '../../identity/index.ts';

/** Between two turns of the event loop: a record has 128 KB at most, and mostly less than one. */
const SLICE_RECORDS = 50;

/** Records that name whoever is looked for. */
export interface Naming<Ref> {
  readonly found: readonly KeptRecord<Ref>[];
  /** Tells where in them. */
  readonly namesPerson: NamesPerson;
}

export async function findNaming<Ref>(records: readonly KeptRecord<Ref>[], namesIn: NamesIn): Promise<Naming<Ref>> {
  const found: KeptRecord<Ref>[] = [];
  const matchers: NamesPerson[] = [];
  for (let from = 0; from < records.length; from += SLICE_RECORDS) {
    if (from > 0) await setImmediate();
    const slice = records.slice(from, from + SLICE_RECORDS);
    const read = slice.map((record) => ({ record, value: record.read(), meaningsOf: record.meaningsOf }));
    const namesPerson = await namesIn(read);
    const named = read.filter(({ value, meaningsOf }) => namesPerson(value, meaningsOf));
    if (named.length > 0) matchers.push(namesPerson);
    found.push(...named.map(({ record }) => record));
  }
  return { found, namesPerson: (value, meaningsOf) => matchers.some((names) => names(value, meaningsOf)) };
}
