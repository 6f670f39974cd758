import type { Static } from 'typebox';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { settleLog } from '../log/settle-log.ts';
import type { PipelineIds } from '../source-names.ts';
import { batchLines } from './batch-lines.ts';
import type { BatchesQuery } from './contract.ts';
import { selectBatches } from './select-batches.ts';

export interface ExportDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly pipelineIds: PipelineIds;
  /** Most time that an export waits for deliveries that are under way when it begins. */
  readonly settleWaitMs: number;
}

export interface Export {
  /** The answer holds all that was received up to this time, and nothing later; undefined: it holds nothing, or not all. */
  readonly completeUntil?: Date | undefined;
  readonly lines: AsyncIterable<string>;
}

/** Exports each batch of the log once, in order of receipt. The audit log records it first. Throws VALIDATION_FAILED. */
export async function exportBatches(
  { store, clock, pipelineIds, settleWaitMs }: ExportDeps,
  { workspaceId, actor }: Caller,
  { query, signal }: { readonly query: Static<typeof BatchesQuery>; readonly signal: AbortSignal },
): Promise<Export> {
  const { selection, after } = await selectBatches({ sql: store, pipelineIds, workspaceId }, query);
  const settled = await settleLog({ sql: store, clock, signal, waitMs: settleWaitMs }, workspaceId);
  await store.transaction((tx) =>
    recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(clock.nowMs()),
      action: 'batches.exported',
      resource: 'batches',
      detail: auditedQuery(query),
    }),
  );
  if (settled === undefined) return { lines: noLines() };
  const to = new Date(Math.min(selection.to.getTime(), settled.getTime()));
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const lines = batchLines({ store, pipelineIds, selection: { ...selection, to }, after, limit });
  // with a limit nobody knows beforehand whether it is reached
  return query.limit === undefined ? { completeUntil: to, lines } : { lines };
}

async function* noLines(): AsyncGenerator<string, void, undefined> {}

/** Returns a query for the audit log, which masks fields named key. The key of an input is no secret, so it is renamed. */
function auditedQuery({ input_key: input, ...query }: Static<typeof BatchesQuery>): Readonly<Record<string, unknown>> {
  return { ...query, ...(input !== undefined && { input }) };
}
