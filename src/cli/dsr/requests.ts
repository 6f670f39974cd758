import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  exportErasures,
  listRequests,
  listStuckRequests,
  type RequestStatus,
  readRequestEvidence,
  reapplyErasures,
  requestFacts,
  retryRequest,
} from '../../dsr/index.ts';
import { createTombstones } from '../../identity/index.ts';
import { AppError, createLog } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';
import { countRows } from './enter.ts';

interface InWorkspace {
  readonly workspace?: bigint;
}

interface OfRequest extends InWorkspace {
  readonly id: string;
}

const COLUMNS = [
  'subject_request_id',
  'subject_request_type',
  'request_status',
  'group_id',
  'received_time',
  'starts_on',
  'expected_completion_time',
  'attempts',
  'last_error',
];
const STUCK_COLUMNS = ['id', 'type', 'status', 'since', 'attempts', 'nextAttemptOn', 'why'];

interface Listing extends InWorkspace {
  readonly status?: RequestStatus;
  readonly group?: string;
  readonly stuck?: true;
  readonly limit: number;
}

export async function list(context: CommandContext, { workspace, status, group, stuck, limit }: Listing) {
  const output = context.output();
  await asOperator(context, async ({ store, clock }) => {
    const workspaceId = await theWorkspace(store, workspace);
    if (stuck) return output.rows(STUCK_COLUMNS, await listStuckRequests(store, { workspaceId, nowMs: clock.nowMs() }));
    const found = await listRequests(store, workspaceId, { status, groupId: group, limit });
    output.rows(COLUMNS, found.map(requestFacts));
  });
}

/** Shows the evidence of a request as tables, or as JSON with `--json`. */
export async function show(context: CommandContext, { id, workspace }: OfRequest): Promise<void> {
  const { evidence, why } = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    const stuck = await listStuckRequests(operator.store, { workspaceId, nowMs: operator.clock.nowMs() });
    const found = await readRequestEvidence(operator, { workspaceId, id });
    return { evidence: found, why: stuck.find((each) => each.id === found.subject_request_id)?.why ?? null };
  });
  const output = context.output();
  if (output.json) return output.object({ ...evidence, stuck: why });
  const { subject_keys: keys, erased_keys: _erased, counts, forwarding, callbacks, audit, ...facts } = evidence;
  output.object({ ...facts, subject_keys: keys.length, stuck: why });
  const parts = [
    [['room', 'what', 'count'], countRows(counts)],
    [['domain', 'name', 'status', 'status_message'], forwarding],
    [['request_status', 'receiver', 'state', 'attempts', 'queued_on', 'delivered_on'], callbacks],
    [['occurred_on', 'actor', 'action', 'detail'], audit],
  ] as const;
  for (const [columns, rows] of parts) {
    if (rows.length === 0) continue;
    output.line('');
    output.rows(columns, rows);
  }
}

export async function retry(context: CommandContext, { id, workspace }: OfRequest): Promise<void> {
  await asOperator(context, async ({ store, clock, actor, hasDaemon }) => {
    const workspaceId = await theWorkspace(store, workspace);
    await retryRequest(store, { workspaceId, id, actor, nowMs: clock.nowMs() });
    if (!hasDaemon) context.output().note('No daemon is running; the request waits for `penstock serve`.');
  });
  context.output().object({ subject_request_id: id, next_attempt: 'now' });
}

interface Exporting extends InWorkspace {
  readonly id?: string;
  readonly erasures?: true;
  readonly file?: string;
}

/** Exports the evidence of one request as JSON, or all erasures as lines that `reapply` reads. No line holds personal data. */
export async function exportTo(context: CommandContext, { id, erasures, file, workspace }: Exporting): Promise<void> {
  if ((id === undefined) === (erasures === undefined)) {
    throw new AppError(
      'VALIDATION_FAILED',
      'Give the id of a request for its evidence, or --erasures for all of them.',
    );
  }
  await asOperator(context, async (operator) => {
    const { store, clock } = operator;
    const workspaceId = await theWorkspace(store, workspace);
    const tombstones = createTombstones(operator.identityKey);
    const lines =
      id === undefined
        ? exportErasures({ store, tombstones, workspaceId, nowMs: clock.nowMs() })
        : [JSON.stringify(await readRequestEvidence(operator, { workspaceId, id }), null, 2)];
    await write(context, lines, file);
  });
}

type Lines = Iterable<string> | AsyncIterable<string>;

async function write(context: CommandContext, lines: Lines, file: string | undefined): Promise<void> {
  if (file === undefined) {
    for await (const line of lines) context.output().line(line);
    return;
  }
  await pipeline(Readable.from(withEnds(lines)), createWriteStream(file, { mode: 0o600, flush: true }));
  context.output().note(`Written to ${file}.`);
}

async function* withEnds(lines: Lines) {
  for await (const line of lines) yield `${line}\n`;
}

/** Applies exported erasures again that a restored backup lacks. */
export async function reapply(context: CommandContext, { file, workspace }: InWorkspace & { readonly file: string }) {
  const done = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    const log = createLog('error', process.stderr);
    const tombstones = createTombstones(operator.identityKey);
    const lines = () => createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
    const { actor } = operator;
    const signal = new AbortController().signal;
    return reapplyErasures({ ...operator, log, tombstones }, { workspaceId, lines, actor, signal });
  });
  const { lost, ...rest } = done;
  context.output().object({ ...rest, lost });
  if (lost.length > 0) {
    context
      .output()
      .note(
        'Requests that were open at the time of the export are missing in this store; create those listed under `lost` again.',
      );
  }
}
