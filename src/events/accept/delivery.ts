// The one way to keep a batch. Pipelines and the events API hand in batches as text, each with its person. People are
// resolved and batches kept in the same transaction, or neither. This room knows the batch contract (contract/), the log
// of batches and its retention; it knows no pipeline, no warehouse and no credentials.
// Terminology: a *batch* is one JSON object about one user; the *log* is where batches are kept, by month of receipt.
import type { Person, PersonErased, PersonFailure, PreparedPeople, ResolutionScope } from '../../identity/index.ts';
import type { Transaction } from '../../store/index.ts';

/** Source of a batch: a pipeline of the workspace, or a caller with the key of an input or feed. */
export type BatchSource =
  | {
      readonly kind: 'pipeline';
      readonly number: bigint;
      /** The key of the feed that the pipeline names; absent: it names none. */
      readonly feedKey?: string;
    }
  | { readonly kind: 'input'; readonly key: string };

export interface BatchToKeep {
  /**
   * The person of the batch (`personOfBatch`). Undefined for a batch of HTTP that names nobody: it is kept without an
   * MPID (D-037).
   */
  readonly person: Person | undefined;
  /**
   * The batch as the text of a JSON object, without white space between its parts and without `mpid` and `batch_id`, which
   * the log writes in front. Nothing else is read or added, so it already has what the server sets where it is absent
   * (`source_info`, `environment`).
   */
  readonly text: string;
  /** Sender's own `batch_id`, kept as it is; absent: the log makes one. It is no key, because senders may repeat it. */
  readonly batchId?: bigint;
  /** One object shared by all batches of the source; absent: unknown. */
  readonly source?: BatchSource;
}

/** Batches whose people are hashed and sorted: all that needs no store, so it can be done while another chunk commits. */
export interface PreparedBatches {
  readonly scope: ResolutionScope;
  readonly texts: readonly string[];
  /** Sender's own `batch_id`, by index of the batch. */
  readonly ids: ReadonlyMap<number, bigint>;
  /** Sources, by index of the batch. */
  readonly sources: readonly (BatchSource | undefined)[];
  /** Indexes of the batches that name nobody. */
  readonly ofNobody: ReadonlySet<number>;
  /** The people of all others, in order. */
  readonly people: PreparedPeople;
}

/** Outcome of one batch: kept under an MPID (undefined: without one), or not kept because its person was erased or failed. */
export type BatchOutcome = { readonly mpid: bigint | undefined } | PersonErased | PersonFailure;

export interface DeliveredBatches {
  /** One outcome per batch, in order. */
  readonly outcomes: readonly BatchOutcome[];
  readonly createdProfiles: number;
  readonly changedProfiles: number;
}

/** Collector of batches that come one by one; it does not hold on to their `Person` objects. */
export interface BatchCollector {
  add(batch: BatchToKeep): void;
  finish(): PreparedBatches;
}

export interface Events {
  /** Begins a chunk, for a caller that yields to the event loop itself. */
  collect(scope: ResolutionScope): BatchCollector;
  /** Prepares a chunk and yields to the event loop between slices. Pure: the result may be delivered more than once. */
  prepare(scope: ResolutionScope, batches: Iterable<BatchToKeep>): Promise<PreparedBatches>;
  /**
   * Resolves the people, merges what the batches say about them and keeps the batches, inside the caller's transaction. A
   * batch whose person fails is not kept. Throws as `Identities.deliver` does: STORE_CONFLICT asks for a second try with
   * `exclusive`, which `deliverInTransaction` makes.
   */
  deliver(tx: Transaction, prepared: PreparedBatches, exclusive: boolean): Promise<DeliveredBatches>;
}
