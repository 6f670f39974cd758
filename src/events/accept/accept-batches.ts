import { setImmediate } from 'node:timers/promises';
import type { SettingsReader, WorkspaceSettings } from '../../access/index.ts';
import type { RateLimiter } from '../../http/index.ts';
import {
  keepAllowedAttributes,
  type Person,
  type PersonFailure,
  policyOf,
  type ResolutionPolicy,
} from '../../identity/index.ts';
import {
  AppError,
  asAppError,
  type Clock,
  type Issue,
  itemAt,
  type Json,
  type WorkspaceId,
} from '../../kernel/index.ts';
import { createGroupCommit, type GroupCommit, type Store, type Submission } from '../../store/index.ts';
import type { EventBatch } from '../contract/batch.ts';
import { requestHash } from '../log/batch-requests.ts';
import { checkBatch } from './check-batch.ts';
import { type AcceptedBatch, deliverAccepted, type GroupOutcome } from './deliver-accepted.ts';
import type { BatchSource, Events } from './delivery.ts';
import { type BatchOrigin, keptText } from './kept-text.ts';
import { personOfBatch } from './person-of-batch.ts';

/** The sender of batches, as its credentials and the path identify it. */
export interface BatchSender extends BatchOrigin {
  readonly workspaceId: WorkspaceId;
  /** The key of the input or feed. */
  readonly key: string;
  /** The key came without a secret: anybody may know it, so it proves nothing. */
  readonly isPublic: boolean;
}

export interface SentBatch {
  /** Value from the lossless JSON parser, not validated yet. */
  readonly body: Json;
  /** The JSON text of `body`. */
  readonly text: string;
  /** Issues found while the request was read. They stand in place of validation. */
  readonly issues?: readonly Issue[];
}

/** Issues of the rejected batches, by index in the request. */
export type RejectedBatches = ReadonlyMap<number, readonly Issue[]>;
type RecordRejected = (rejected: RejectedBatches) => Promise<void>;

/**
 * Outcome of one batch. `kept`: it is durable. `duplicate`: a batch with the same `source_request_id` is durable already,
 * so this one changes nothing. `erased`: its person was erased, so nothing of it is kept. `rejected`: nothing of it is
 * kept; the paths of the issues are paths in the batch.
 */
export type AcceptOutcome =
  | { readonly status: 'kept'; readonly mpid: bigint | undefined }
  | { readonly status: 'duplicate' }
  | { readonly status: 'erased' }
  | { readonly status: 'rejected'; readonly issues: readonly Issue[]; readonly rule?: PersonFailure['rule'] };

export interface Accepted {
  /** One outcome per batch, in order. */
  readonly outcomes: readonly AcceptOutcome[];
  /** Share of the workspace's rate that is used up, 0 to 100. */
  readonly rateUsedPercent: number;
}

export interface AcceptDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
  readonly settingsOf: SettingsReader;
  readonly rates: RateLimiter;
  /** Called with the outcome of each batch; nothing waits for it. */
  readonly onOutcome?: (status: AcceptOutcome['status']) => void;
}

export interface BatchDoor {
  /**
   * Validates batches, resolves their people and keeps what is valid. Resolves when the kept batches are durable. A rejected
   * batch does not affect the others. `record` is called with the batches that fail validation before any batch is kept, so
   * a request whose recording fails can be sent again. It is called once more with the batches that delivery refused.
   * Throws RATE_LIMITED over the workspace's rate and while too much waits; then nothing was kept or recorded. Throws
   * STORE_UNAVAILABLE; then some batches may be kept, and `source_request_id` deduplicates them when all are sent again.
   */
  accept(sender: BatchSender, batches: readonly SentBatch[], record?: RecordRejected): Promise<Accepted>;
  /** Counts batches in the workspace's rate and returns the share that is used up. Throws as `accept` does. */
  admit(sender: BatchSender, count: number): Promise<number>;
  /** Does what `accept` does, for batches that were admitted before. */
  keep(sender: BatchSender, batches: readonly SentBatch[], record?: RecordRejected): Promise<readonly AcceptOutcome[]>;
  /** Stops taking batches. Resolves when all batches taken before are durable or refused. */
  drain(): Promise<void>;
}

const MEGABYTE = 2 ** 20;
/** Bounds of the queue. Bytes are the memory of a waiting batch (`heldSize`), not the size of its text. */
const BOUNDS = {
  // bulk requests fill them: PostgreSQL then takes 34 µs a batch instead of 47
  groupItems: 2000,
  groupBytes: 32 * MEGABYTE,
  groupsAtOnce: 4,
  groupsOfKeyAtOnce: 1,
  heldItemsOfKey: 20_000,
  heldBytesOfKey: 64 * MEGABYTE,
  heldBytes: 128 * MEGABYTE,
};

type Groups = GroupCommit<AcceptedBatch, GroupOutcome>;

/** Creates the door for batches. Create one per process: its bounds hold for all batches that wait. */
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
  const message = `This workspace accepts ${perSecond} batches per second; wait as long as Retry-After says, then send them again.`;
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

/** Batches that are validated between two turns of the event loop. */
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
  const kept = await Promise.all(submissions.map((one, index) => outcomeOf(groups, one, itemAt(answers, index))));
  let next = 0;
  const outcomes = checked.map((one) => ('batch' in one ? itemAt(kept, next++) : rejected(one)));
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

/** Estimates the memory of a waiting batch: its parsed value, its person, its text as received and as kept. */
const heldSize = ({ batch: { text } }: AcceptedBatch): number => 1024 + 4 * text.length;

async function outcomeOf(
  groups: Groups,
  { key, item, sizeBytes }: Submission<AcceptedBatch>,
  answer: Promise<GroupOutcome>,
): Promise<AcceptOutcome> {
  try {
    let outcome = await answer;
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

/** Returns the person as far as the sender is trusted: a public key sets only attributes that the workspace allows. */
function limitToRights({ sender, publicKeys }: Acceptance, person: Person | undefined): Person | undefined {
  if (person === undefined || !sender.isPublic) return person;
  return { ...person, attributes: keepAllowedAttributes(person.attributes, publicKeys.attributes), isPublic: true };
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
      person: limitToRights(acceptance, personOfBatch(batch, receivedMs)),
      text: keptText(batch, text, sender),
      source,
      ...(batchId !== undefined && { batchId: BigInt(batchId) }),
    },
  };
}
