import type { SettingsReader } from '../../access/index.ts';
import type { Tombstones } from '../../identity/index.ts';
import type { Clock, KeyRing, Log, Random, Secret } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Request } from '../request.ts';
import type { JoinScan } from './shared-scans.ts';
import type { TakeTurn } from './turns.ts';

/** Dependencies of the work on requests. */
export interface WorkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly keyRing: KeyRing;
  /** Key of all keyed hashes; it never changes. */
  readonly identityKey: Secret;
  readonly tombstones: Tombstones;
  readonly settingsOf: SettingsReader;
  /** Number of profiles or batches above which an ordinary value counts as a filler (`judgeIdentities`). */
  readonly fillerCarriers: number;
  /** Limits how many requests at a time do work that is heavy on the store. */
  readonly takeTurn: TakeTurn;
  readonly joinScan: JoinScan;
  /** Generator of result file ids. */
  readonly nextId: () => bigint;
}

/**
 * A request that this worker has claimed. Its attempt count is the fence: once another worker claims it, this one writes
 * nothing more.
 */
export interface Attempt {
  readonly request: Request;
  readonly signal: AbortSignal;
  /** Records the current step, which the reason of a failure names. */
  readonly step: (step: string) => void;
}
