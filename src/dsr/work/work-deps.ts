import type { SettingsReader } from '../../access/index.ts';
import type { Tombstones } from '../../identity/index.ts';
import type { Clock, KeyRing, Log, Random, Secret } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Request } from '../request.ts';
import type { ShareLook } from './shared-looks.ts';
import type { TakeTurn } from './turns.ts';

/** What the work on requests needs. */
export interface WorkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly keyRing: KeyRing;
  /** Of all keyed hashes; it never changes. */
  readonly identityKey: Secret;
  readonly tombstones: Tombstones;
  readonly settingsOf: SettingsReader;
  /** More profiles or batches than this make an ordinary value a filler (`judgeIdentities`). */
  readonly fillerCarriers: number;
  /** For what takes much of the store: so few requests at a time. */
  readonly takeTurn: TakeTurn;
  readonly shareLook: ShareLook;
  /** Ids of result files. */
  readonly nextId: () => bigint;
}

/**
 * A request that this worker has taken. Its count of attempts is the fence: who takes it later counts on, and from then on
 * this worker writes nothing more.
 */
export interface Attempt {
  readonly request: Request;
  readonly signal: AbortSignal;
  /** Says what is being done, for whoever reads why it failed. */
  readonly step: (step: string) => void;
}
