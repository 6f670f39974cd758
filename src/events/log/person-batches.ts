import { inIndexOrder, type Store } from '../../store/index.ts';
import { type LogPosition, type LogScope, readBatchesOf, type StoredBatch } from './read-log.ts';

/**
 * Reads all batches that a person has when it begins, the newest first, in pages of about 1 MiB. Each page is a statement
 * of its own, so no snapshot is held. Batches that arrive meanwhile lie before the first page and are not read.
 */
export async function* personBatches(
  store: Store,
  scope: LogScope,
): AsyncGenerator<readonly StoredBatch[], void, undefined> {
  let before: LogPosition | undefined;
  for (;;) {
    const behind = before;
    const page = await inIndexOrder(store, (sql) => readBatchesOf(sql, scope, behind));
    if (page.length === 0) return;
    yield page;
    before = page.at(-1);
  }
}
