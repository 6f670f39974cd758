import { inIndexOrder, type Store } from '../../store/index.ts';
import { type LogPosition, type LogScope, readBatchesOf, type StoredBatch } from './read-log.ts';

/**
 * All batches that a person has when this begins, the newest first, a page of about a MiB at a time. Each page is a
 * statement of its own: what comes meanwhile stands before the first, and no snapshot is held.
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
