import type { Config } from '../config.ts';
import { AppError, type Log, messageOf, type Secret, systemClock } from '../kernel/index.ts';
import type { Store } from './contract.ts';
import { findRunningStore, type RunningStore, startEmbeddedStore } from './embedded/embedded-store.ts';
import type { OwnerRole } from './embedded/owner-lock.ts';
import { isAbsent, isComingUp } from './errors.ts';
import { isAtOwnVersion, migrateStore } from './migrate.ts';
import { openStore } from './open-store.ts';

/**
 * Longest wait of a daemon for a server that starts beside it, and of anybody for a server that reports that it is starting.
 */
const PATIENCE_MS = 60_000;
/** A person at a command would rather hear that nobody listens there. */
const COMMAND_PATIENCE_MS = 5_000;
const SAID_AFTER_MS = 1_000;
/** A daemon that starts is ready, its store migrated, within this time. */
const STARTING_MS = 20_000;
const POLL_MS = 250;

export interface StartOptions {
  readonly log: Log;
  /** A daemon owns its home; a command borrows the server of the daemon that runs there, or starts it for itself. */
  readonly role: OwnerRole;
  /** Told once what is being waited for, when it takes more than a moment. */
  readonly onWaiting?: (what: string) => void;
}

type StoreConfig = Pick<Config, 'home' | 'store'>;

/**
 * Opens the store that the configuration names, at this program's version: DATABASE_URL, or else the embedded one of the
 * home. Disposing it ends the sessions, and the server where we started it.
 * Throws STORE_START, STORE_NEWER or STORE_UNAVAILABLE.
 */
export async function startStore(config: StoreConfig, options: StartOptions): Promise<Store> {
  const { databaseUrl } = config.store;
  if (databaseUrl !== undefined) return openGiven(databaseUrl, config, options);
  const attached = options.role === 'command' ? await attachStore(config, options.log) : undefined;
  return attached ?? startOwnStore(config, options);
}

/**
 * Returns the store of the daemon that runs in the configured home, or undefined where none runs. Waits while that daemon
 * starts.
 */
export async function attachStore(config: StoreConfig, log: Log): Promise<Store | undefined> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const running = await findRunningStore(config.home);
    if (running === undefined) return undefined;
    try {
      return await openRunning(config, running, log);
    } catch (error) {
      if (waitedMs >= STARTING_MS || !isUnavailable(error)) throw error;
      await systemClock.sleep(POLL_MS);
    }
  }
}

async function openRunning({ home, store }: StoreConfig, { databaseUrl }: RunningStore, log: Log): Promise<Store> {
  if (databaseUrl === undefined) throw new AppError('STORE_UNAVAILABLE', `The daemon of ${home} is still starting.`);
  if (!(await isAtOwnVersion(databaseUrl, log))) {
    throw new AppError(
      'STORE_UNAVAILABLE',
      `The daemon of ${home} is older than this command, or is still migrating its store. Restart it with this version.`,
    );
  }
  return openStore({ databaseUrl, poolSize: store.poolSize, log });
}

async function startOwnStore({ home, store }: StoreConfig, { log, role }: StartOptions): Promise<Store> {
  const { port, syncsToDisk } = store;
  const embedded = await startEmbeddedStore({ home, port, syncsToDisk, role, log });
  const stop = async () => embedded[Symbol.asyncDispose]();
  try {
    await migrateStore(embedded.databaseUrl, log);
    return openStore({ databaseUrl: embedded.databaseUrl, poolSize: store.poolSize, log, whenClosed: stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Opens a given store. A server that is still starting, beside us in a compose file, is waited for; one that refuses us is not.
 */
async function openGiven(databaseUrl: Secret, { store }: StoreConfig, options: StartOptions): Promise<Store> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    try {
      await migrateStore(databaseUrl, options.log);
      return openStore({ databaseUrl, poolSize: store.poolSize, log: options.log, isPrepared: store.isPrepared });
    } catch (error) {
      await waitALittle(error, waitedMs, options);
    }
  }
}

/** Throws the error where waiting for the server makes no sense, or has lasted too long. */
async function waitALittle(error: unknown, waitedMs: number, { log, role, onWaiting }: StartOptions): Promise<void> {
  const patienceMs = role === 'command' && isAbsent(error) ? COMMAND_PATIENCE_MS : PATIENCE_MS;
  if (waitedMs >= patienceMs || !isComingUp(error)) throw error;
  const message = messageOf(error);
  if (waitedMs === 0) log.warn({ reason: message }, 'store.waiting');
  if (waitedMs === SAID_AFTER_MS)
    onWaiting?.(`${message} DATABASE_URL names it; waiting up to ${patienceMs / 1000} s.`);
  await systemClock.sleep(POLL_MS);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'STORE_UNAVAILABLE';
}
