import { inIndexOrder, type Store } from '../../store/index.ts';
import { monthOf } from '../log/months.ts';
import { type LogPosition, type LogSelection, nextReceipt, type ReceivedBatch, readReceived } from '../log/read-log.ts';
import { namesOf, type PipelineIds } from '../source-names.ts';
import { batchCursor } from './cursor.ts';

/** Ids of batches are positive. */
const BEFORE_ANY = -1n;

/**
 * Reads the selection behind `after` in pages, in order of receipt. Each page is a statement of its own, so an export holds
 * no snapshot and no connection while its client reads. Months without batches are skipped.
 */
export async function* batchPages(
  store: Store,
  selection: LogSelection,
  after: LogPosition | undefined,
): AsyncGenerator<readonly ReceivedBatch[], void, undefined> {
  let position = after !== undefined && after.receivedOn >= selection.from ? after : undefined;
  let from = selection.from;
  for (;;) {
    if (position === undefined) {
      const receivedOn = await inIndexOrder(store, (sql) => nextReceipt(sql, { ...selection, from }));
      if (receivedOn === undefined) return;
      position = { receivedOn, id: BEFORE_ANY };
    }
    const { end } = monthOf(position.receivedOn.getTime());
    const to = new Date(Math.min(selection.to.getTime(), end.getTime() - 1));
    const behind: LogPosition = position;
    const page: readonly ReceivedBatch[] = await inIndexOrder(store, (sql) =>
      readReceived(sql, { ...selection, to }, behind),
    );
    if (page.length > 0) yield page;
    position = page.at(-1);
    from = end;
  }
}

interface BatchLines {
  readonly store: Store;
  readonly pipelineIds: PipelineIds;
  readonly selection: LogSelection;
  readonly after: LogPosition | undefined;
  readonly limit: number;
}

/** Writes the selection as NDJSON, a page at a time. */
export async function* batchLines({
  store,
  pipelineIds,
  selection,
  after,
  limit,
}: BatchLines): AsyncGenerator<string, void, undefined> {
  let left = limit;
  for await (const page of batchPages(store, selection, after)) {
    const ids = await pipelineIds(selection.workspaceId);
    const lines = page.slice(0, left).map((batch) => batchLine(batch, ids));
    left -= lines.length;
    yield lines.join('');
    if (left === 0) return;
  }
}

/** Writes a line. The batch is not parsed, so it keeps every digit; it has no line breaks. */
function batchLine(
  { receivedOn, id, environment, mpid, source, text }: ReceivedBatch,
  ids: ReadonlyMap<bigint, string>,
) {
  const head = JSON.stringify({
    cursor: batchCursor({ receivedOn, id }),
    received_on: receivedOn.toISOString(),
    environment,
    mpid: mpid === undefined ? null : String(mpid),
    ...namesOf(source, ids),
  });
  return `${head.slice(0, -1)},"batch":${text}}\n`;
}
