import type { Static } from 'typebox';
import { listInputCredentials } from '../../access/index.ts';
import { readTimes } from '../../http/index.ts';
import { type Issue, quoteValue, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { LogPosition, LogSelection } from '../log/read-log.ts';
import type { PipelineIds } from '../source-names.ts';
import type { BatchesQuery } from './contract.ts';
import { ALL_TIME, isIssue, readBatchCursor } from './cursor.ts';

type Query = Static<typeof BatchesQuery>;

export interface BatchesAsked {
  readonly selection: LogSelection;
  /** Position behind which the export begins; undefined: at the first batch. */
  readonly after: LogPosition | undefined;
}

interface Asking {
  readonly sql: Sql;
  readonly pipelineIds: PipelineIds;
  readonly workspaceId: WorkspaceId;
}

/** Names that a message lists at most. */
const LISTED = 20;

/** Returns what a query selects. Throws VALIDATION_FAILED, which tells for each wrong parameter what is allowed. */
export async function selectBatches(asking: Asking, query: Query): Promise<BatchesAsked> {
  const issues: Issue[] = [];
  const { from = ALL_TIME.from, to = ALL_TIME.to } = readTimes(query);
  const after = readCursor(query.cursor, issues);
  const sources = { ...(await pipelines(asking, query, issues)), ...(await keys(asking, query, issues)) };
  if (issues.length > 0) throw refuse(issues);
  const { workspaceId } = asking;
  return { selection: { workspaceId, environment: query.environment, ...sources, from, to }, after };
}

function readCursor(text: string | undefined, issues: Issue[]): LogPosition | undefined {
  if (text === undefined) return undefined;
  const read = readBatchCursor(text);
  if (!isIssue(read)) return read;
  issues.push(read);
  return undefined;
}

/** Finds every pipeline that has or had the id, because the id of a deleted pipeline may be used again. */
async function pipelines({ pipelineIds, workspaceId }: Asking, { pipeline_id: id }: Query, issues: Issue[]) {
  if (id === undefined) return {};
  const ids = await pipelineIds(workspaceId);
  const pipelineNumbers = [...ids].flatMap(([number, name]) => (name === id ? [number] : []));
  if (pipelineNumbers.length === 0) issues.push(unknown('pipeline_id', id, ['pipeline', new Set(ids.values())]));
  return { pipelineNumbers };
}

async function keys({ sql, workspaceId }: Asking, { feed_id: feed, input_key: key }: Query, issues: Issue[]) {
  if (feed === undefined && key === undefined) return {};
  const inputs = await listInputCredentials(sql, workspaceId);
  const isWanted = (input: (typeof inputs)[number]) =>
    (key === undefined || input.key === key) && (feed === undefined || String(input.feedId) === feed);
  const inputKeys = inputs.filter(isWanted).map((input) => input.key);
  const feeds = inputs.flatMap(({ feedId }) => (feedId === null ? [] : [String(feedId)]));
  const known = inputs.map((input) => input.key);
  if (feed !== undefined && !feeds.includes(feed)) issues.push(unknown('feed_id', feed, ['feed', new Set(feeds)]));
  if (key !== undefined && !known.includes(key)) issues.push(unknown('input_key', key, ['key', new Set(known)]));
  return { inputKeys };
}

function unknown(path: string, value: string, [what, names]: readonly [string, ReadonlySet<string>]): Issue {
  const listed = [...names].slice(0, LISTED);
  const more = names.size > listed.length ? ` and ${names.size - listed.length} more` : '';
  const allowed = listed.length === 0 ? `this workspace has no ${what}` : `it has: ${listed.join(', ')}${more}`;
  return { path, message: `this workspace has no ${what} ${quoteValue(value)}; ${allowed}.` };
}
