// Rejected batches of bulk requests, kept with their reason, so that the workspace's operator can fix what sends them
// (D-030). Nothing else reads them.
import { and, desc, eq, gte, lte, sql as words } from 'drizzle-orm';
import type { Retention } from '../../access/index.ts';
import type { Page } from '../../http/index.ts';
import { deliverInTransaction, type Identities } from '../../identity/index.ts';
import {
  AppError,
  type Clock,
  createIdSource,
  type Issue,
  stringifyJson,
  type WorkspaceId,
} from '../../kernel/index.ts';
import { deleteInParts, type Sql, type Store, type Transaction, withinPageBytes } from '../../store/index.ts';
import { mentionsInJson, parseSearchable } from '../mentions-in-json.ts';
import { rejectedBatches } from '../tables.ts';

export interface Rejection {
  /** JSON text as received. */
  readonly text: string;
  readonly issues: readonly Issue[];
}

interface RejectedRequest {
  readonly workspaceId: WorkspaceId;
  /** Key of the input or feed. */
  readonly key: string;
  readonly path: string;
  readonly rejections: readonly Rejection[];
}

/** Longest text that is kept. A batch with a longer text, or one that cannot be written again, is recorded without it. */
const MOST_CHARACTERS = 131_072;

/** Recorder of rejections; resolves when they are durable. */
export type RecordRejections = (request: RejectedRequest) => Promise<void>;

const ATTEMPTS = 3;

/** Creates the recorder of rejections. Create one per process, because two might draw the same ids. */
export function createRecordRejections(deps: RecordDeps): RecordRejections {
  const { store, clock, identities } = deps;
  const nextId = createIdSource(clock);
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const rejections = request.rejections.map((rejection) => ({ ...rejection, id: nextId() }));
      try {
        return await deliverInTransaction(store, request.workspaceId, (tx) =>
          recordIn(tx, identities, { ...request, rejections, receivedOn: new Date(clock.nowMs()) }),
        );
      } catch (error) {
        // another daemon may have drawn the same ids; the next attempt draws others
        if (attempt === ATTEMPTS || !(error instanceof AppError) || error.code !== 'STORE_UNIQUE') throw error;
      }
    }
  };
}

interface RecordDeps {
  readonly identities: Pick<Identities, 'findErasedPeople'>;
  readonly store: Store;
  readonly clock: Clock;
}

interface NumberedRequest extends RejectedRequest {
  readonly rejections: readonly (Rejection & { readonly id: bigint })[];
  readonly receivedOn: Date;
}

/** Records rejections, but none of an erased person (D-059). */
async function recordIn(
  tx: Transaction,
  identities: RecordDeps['identities'],
  request: NumberedRequest,
): Promise<void> {
  const { workspaceId, rejections } = request;
  const erased = await identities.findErasedPeople(tx, workspaceId, () =>
    rejections.values().map(({ text }) => mentionsInJson(text)),
  );
  const kept = rejections.filter((_, index) => !erased.has(index));
  if (kept.length > 0) await insertRejections(tx, { ...request, rejections: kept });
}

async function insertRejections(sql: Sql, request: NumberedRequest): Promise<void> {
  const { workspaceId, receivedOn, key, path, rejections } = request;
  await sql.execute(
    `INSERT INTO rejected_batches (workspace_id, received_on, key, path, id, errors, text)
     SELECT $1, $2, $3, $4, id, errors, text FROM unnest($5::bigint[], $6::text[], $7::text[]) AS given (id, errors, text)`,
    [
      workspaceId,
      receivedOn,
      key,
      path,
      rejections.map(({ id }) => id),
      rejections.map(({ issues }) => stringifyJson(issues)),
      rejections.map(({ text }) =>
        text.length > MOST_CHARACTERS || parseSearchable(text) === undefined ? null : text,
      ),
    ],
  );
}

export type RejectedBatch = Readonly<typeof rejectedBatches.$inferSelect>;

/** Returns one page, the newest first, and of one time the last of its request first. Texts beyond `PAGE_BYTES` are null. */
export async function listRejected(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, to, limit, offset }: Page,
): Promise<readonly RejectedBatch[]> {
  const page = sql.orm
    .select()
    .from(rejectedBatches)
    .where(
      and(
        eq(rejectedBatches.workspaceId, workspaceId),
        from === undefined ? undefined : gte(rejectedBatches.receivedOn, from),
        to === undefined ? undefined : lte(rejectedBatches.receivedOn, to),
      ),
    )
    .orderBy(desc(rejectedBatches.receivedOn), desc(rejectedBatches.id))
    .limit(limit)
    .offset(offset)
    .as('page');
  const order = words`${page.receivedOn} DESC, ${page.id} DESC`;
  const text = withinPageBytes(page.text, order);
  const { id, workspaceId: workspace, receivedOn, key, path, errors } = page;
  return sql.orm.select({ id, workspaceId: workspace, receivedOn, key, path, errors, text }).from(page).orderBy(order);
}

/** Most rows that one statement deletes. */
const AT_ONCE = 1_000;

const EXPIRE = `
  DELETE FROM rejected_batches WHERE workspace_id = $1 AND id IN
    (SELECT id FROM rejected_batches WHERE workspace_id = $1 AND received_on < $2 ORDER BY received_on LIMIT $3)`;

/** Deletes expired rejected batches, which are kept as long as failed records (D-023), and returns how many. */
export async function expireRejected(
  sql: Sql,
  { workspaceId, failedRecordsSince }: Pick<Retention, 'workspaceId' | 'failedRecordsSince'>,
  signal: AbortSignal,
): Promise<number> {
  const values = [workspaceId, failedRecordsSince, AT_ONCE];
  return deleteInParts(sql, { statement: EXPIRE, values, mostRows: AT_ONCE, signal });
}
