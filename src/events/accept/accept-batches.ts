import { setImmediate } from 'node:timers/promises';
import type { SettingsReader, WorkspaceSettings } from '../../access/index.ts';
import type { RateLimiter } from '../../http/index.ts';
import { onlyAllowed, type Person, type PersonFailure, policyOf, type ResolutionPolicy } from '../../identity/index.ts';
import { AppError, asAppError, type Clock, type Issue, type WorkspaceId } from '../../kernel/index.ts';
import { createGroupCommit, type GroupCommit, type Store, type Submission } from '../../store/index.ts';
import type { EventBatch } from '../contract/batch.ts';
import { requestHash } from '../log/batch-requests.ts';
import { checkBatch } from './check-batch.ts';
import { type AcceptedBatch, deliverAccepted, type GroupOutcome } from './deliver-accepted.ts';
import type { BatchSource, Events } from './delivery.ts';
import { type BatchOrigin, keptText } from './kept-text.ts';
import { personOfBatch } from './person-of-batch.ts';

/** Who sends, as the credentials and the path say. */
export interface BatchSender extends BatchOrigin {
  readonly workspaceId: WorkspaceId;
  /** The key of the input or feed. */
  readonly key: string;
  /** The key came alone, and proves nothing. */
  readonly isPublic: boolean;
}

export interface SentBatch {
  /** What the lossless JSON parser gave; need not be a batch. */
  readonly body: unknown;
  /** The JSON text of `body`. */
  readonly text: string;
  /** What is wrong with it already: it is rejected with that. */
  readonly issues?: readonly Issue[];
}

/** By place in what was sent: why a batch is rejected. */
export type RejectedBatches = ReadonlyMap<number, readonly Issue[]>;
type RecordRejected = (rejected: RejectedBatches) => Promise<void>;

/**
 * `duplicate`: a batch with its `source_request_id` is durable already, and this one changes nothing. `erased`: it is of
 * somebody who was erased, and nothing of it is kept. `rejected`: nothing of it is kept; the paths are those of the batch.
 */
export type AcceptOutcome =
  | { readonly status: 'kept'; readonly mpid: bigint | undefined }
  | { readonly status: 'duplicate' }
  | { readonly status: 'erased' }
  | { readonly status: 'rejected'; readonly issues: readonly Issue[]; readonly rule?: PersonFailure['rule'] };

export interface Accepted {
  /** One a batch, in order. */
  readonly outcomes: readonly AcceptOutcome[];
  /** How much of the workspace's rate is used up, 0 to 100. */
  readonly rateUsedPercent: number;
}

export interface AcceptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
  readonly settingsOf: SettingsReader;
  readonly rates: RateLimiter;
  /** Hears what became of each batch that came in; nothing waits for it. */
  readonly onOutcome?: (status: AcceptOutcome['status']) => void;
}

export interface BatchDoor {
  /**
   * Checks, resolves and keeps batches; resolves when all that is kept is durable. Each batch stands alone: one that is
   * rejected leaves the others be. `record` hears of those that are wrong in form before any is kept, so that a request
   * that it fails for can be sent again, and then of those that were refused when they were delivered. Throws RATE_LIMITED
   * over the workspace's rate and while too much waits, and then nothing was kept or recorded; and STORE_UNAVAILABLE, and
   * then some may have been: whoever sends all again has `source_request_id` to recognise them.
   */
  accept(sender: BatchSender, batches: readonly SentBatch[], record?: RecordRejected): Promise<Accepted>;
  /** Counts so many batches in the workspace's rate, and says how much of it is used up; throws as `accept` does. */
  admit(sender: BatchSender, count: number): Promise<number>;
  /** As `accept`, for batches that were admitted. */
  keep(sender: BatchSender, batches: readonly SentBatch[], record?: RecordRejected): Promise<readonly AcceptOutcome[]>;
  /** Takes nothing more; resolves when everything that was taken is durable or refused. */
  drain(): Promise<void>;
}

const MEGABYTE = 2 ** 20;
/** Bytes are those that a batch takes while it waits (`heldSize`), not those of its text. */
const BOUNDS = {
  groupItems: 512,
  groupBytes: 32 * MEGABYTE,
  groupsAtOnce: 4,
  groupsOfKeyAtOnce: 1,
  heldItemsOfKey: 20_000,
  heldBytesOfKey: 64 * MEGABYTE,
  heldBytes: 128 * MEGABYTE,
};

type Groups = GroupCommit<AcceptedBatch, GroupOutcome>;

/** One for a process. */
export function createBatchDoor(deps: AcceptDeps): BatchDoor {
  const groups: Groups = createGroupCommit({ ...BOUNDS, deliver: (group) => deliverAccepted(deps, group) });
  const admit = async (sender: BatchSender, count: number) => {
    const { limits } = await deps.settingsOf(sender.workspaceId);
    return takeRate(deps.rates, sender, { count, limits });
  };
  const keep: BatchDoor['keep'] = async (sender, batches, record) => {
    const settings = await deps.settingsOf(sender.workspaceId);
    const acceptance: Acceptance = {
      sender,
      limits: settings.limits,
      policy: policyOf(settings),
      publicKeys: settings.publicKeys,
      source: { kind: 'input', key: sender.key },
      receivedMs: deps.clock.nowMs(),
    };
    const outcomes = await keepBatches(groups, await checkedBatches(acceptance, batches), record);
    for (const { status } of outcomes) deps.onOutcome?.(status);
    return outcomes;
  };
  return {
    async accept(sender, batches, record) {
      const rateUsedPercent = await admit(sender, batches.length);
      return { outcomes: await keep(sender, batches, record), rateUsedPercent };
    },
    admit,
    keep,
    drain: () => groups.drain(),
  };
}

type Limits = WorkspaceSettings['limits'];

function takeRate(
  rates: RateLimiter,
  { workspaceId }: BatchSender,
  { count, limits }: { readonly count: number; readonly limits: Limits },
): number {
  const perSecond = limits.batchesPerSecond;
  const { isAllowed, percentageUsed, retryAfterSeconds } = rates.take(String(workspaceId), count, perSecond);
  if (isAllowed) return percentageUsed;
  const message = `This workspace takes ${perSecond} batches a second; wait as long as Retry-After says, then send them again.`;
  throw new AppError('RATE_LIMITED', message, { retryAfterSeconds });
}

interface Acceptance {
  readonly sender: BatchSender;
  readonly source: BatchSource;
  readonly limits: Limits;
  readonly policy: ResolutionPolicy;
  readonly publicKeys: WorkspaceSettings['publicKeys'];
  readonly receivedMs: number;
}

/** Between so many the loop gets its turn. */
const SLICE_BATCHES = 100;

type Checked = AcceptedBatch | readonly Issue[];

async function checkedBatches(acceptance: Acceptance, batches: readonly SentBatch[]): Promise<readonly Checked[]> {
  const checked: Checked[] = [];
  for (const batch of batches) {
    checked.push(checkedBatch(acceptance, batch));
    if (checked.length % SLICE_BATCHES === 0) await setImmediate();
  }
  return checked;
}

function checkedBatch(acceptance: Acceptance, { body, text, issues }: SentBatch): Checked {
  const wrong = issues ?? checkBatch(body, acceptance.limits, text);
  return wrong.length > 0 ? wrong : acceptedBatch(acceptance, body as EventBatch, text);
}

async function keepBatches(
  groups: Groups,
  checked: readonly Checked[],
  record: RecordRejected = async () => undefined,
): Promise<readonly AcceptOutcome[]> {
  const wrong = new Map(
    [...checked.entries()].flatMap(([index, one]) => ('batch' in one ? [] : [[index, one] as const])),
  );
  const submissions = checked.flatMap((one) => ('batch' in one ? submissionOf(one) : []));
  const room = groups.reserve(submissions);
  try {
    if (wrong.size > 0) await record(wrong);
  } catch (error) {
    room.release();
    throw error;
  }
  const answers = room.submit();
  const kept = await Promise.all(submissions.map((one, index) => outcomeOf(groups, one, answers[index])));
  const next = kept.values();
  const outcomes = checked.map((one) => ('batch' in one ? (next.next().value as AcceptOutcome) : rejected(one)));
  const refused = new Map<number, readonly Issue[]>();
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected' && !wrong.has(index)) refused.set(index, outcome.issues);
  }
  if (refused.size > 0) await record(refused);
  return outcomes;
}

function submissionOf(item: AcceptedBatch): Submission<AcceptedBatch> {
  const { workspaceId, environment } = item.scope;
  return { key: `${workspaceId}/${environment}`, item, sizeBytes: heldSize(item) };
}

/** Of a batch that waits: what it was parsed to, its person, and its text as it came and as it is kept. */
const heldSize = ({ batch: { text } }: AcceptedBatch): number => 1024 + 4 * text.length;

async function outcomeOf(
  groups: Groups,
  { key, item, sizeBytes }: Submission<AcceptedBatch>,
  answer: Promise<GroupOutcome> | undefined,
): Promise<AcceptOutcome> {
  try {
    let outcome = await (answer as Promise<GroupOutcome>);
    while (outcome.status === 'later') outcome = await groups.submit(key, item, sizeBytes);
    return outcome;
  } catch (thrown) {
    const error = asAppError(thrown);
    // alone in its group by then: the store cannot hold a value of this very batch
    if (error.code === 'STORE_DATA') return rejected([{ path: '', message: error.message }]);
    throw error;
  }
}

const rejected = (issues: readonly Issue[]): AcceptOutcome => ({ status: 'rejected', issues });

/** What is taken of a person whom the sender speaks of: a public key may set what the workspace lets it. */
function believed({ sender, publicKeys }: Acceptance, person: Person | undefined): Person | undefined {
  if (person === undefined || !sender.isPublic) return person;
  return { ...person, attributes: onlyAllowed(person.attributes, publicKeys.attributes), isPublic: true };
}

function acceptedBatch(acceptance: Acceptance, batch: EventBatch, text: string): AcceptedBatch {
  const { sender, source, policy, receivedMs } = acceptance;
  const { workspaceId, key } = sender;
  const batchId = batch.batch_id ?? undefined;
  const environment = batch.environment ?? 'production';
  return {
    scope: { workspaceId, environment, mode: 'incremental', policy },
    request: requestHash({ key, environment, id: batch.source_request_id }),
    batch: {
      person: believed(acceptance, personOfBatch(batch, receivedMs)),
      text: keptText(batch, text, sender),
      source,
      ...(batchId !== undefined && { batchId: BigInt(batchId) }),
    },
  };
}
