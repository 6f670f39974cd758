import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { AccessDeps, Actor } from '../access/index.ts';
import type { Config } from '../config.ts';
import { AppError, createLog, type Secret, systemClock } from '../kernel/index.ts';
import { attachStore, resolveKeys, type StartOptions, type Store, startStore } from '../store/index.ts';
import type { CommandContext } from './command.ts';

/** Dependencies of a command: the same rooms and store as the daemon's, without its workers. */
export interface Operator extends AccessDeps {
  /** Actor that the audit log names. */
  readonly actor: Actor;
  /** Key for the hashes of identities. */
  readonly identityKey: Secret;
  /** A daemon works on this store. Also set with DATABASE_URL, because this machine cannot tell. */
  readonly hasDaemon: boolean;
}

interface OperatorOptions {
  /**
   * Lets the command create a home, as only a new installation may. For any other command, a missing home means a wrong folder.
   */
  readonly mayMakeHome?: true;
  /**
   * Refuses to start without a daemon: a command that waits for work would wait in vain, and it would hold the embedded store,
   * which keeps the daemon out.
   */
  readonly needsDaemon?: boolean;
}

/**
 * Runs one command on the store. Uses the running daemon's store, the one that DATABASE_URL names, or the embedded one, which
 * runs only for the command. Remarks go to the error output, so that answers can be piped.
 */
export async function asOperator<Result>(
  context: CommandContext,
  work: (operator: Operator) => Promise<Result>,
  options: OperatorOptions = {},
): Promise<Result> {
  const config = context.config();
  if (options.mayMakeHome !== true) await requireHome(config);
  const log = createLog('error', process.stderr);
  const { keyRing, identityKey } = await resolveKeys(config, log);
  const start: StartOptions = { role: 'command', log, onWaiting: (what) => context.output().note(what) };
  const shared = await sharedStore(config, start);
  if (shared === undefined && options.needsDaemon === true) throw noDaemon(config);
  await using store = shared ?? (await startStore(config, start));
  return await work({
    store,
    clock: systemClock,
    keyRing,
    identityKey,
    actor: actor(),
    hasDaemon: shared !== undefined,
  });
}

/** Tells whether the configured home was ever used. */
export async function hasHome({ home, store }: Config): Promise<boolean> {
  if (store.databaseUrl !== undefined) return true;
  return stat(home).then(
    () => true,
    () => false,
  );
}

async function requireHome(config: Config): Promise<void> {
  if (await hasHome(config)) return;
  throw new AppError(
    'NOT_FOUND',
    `${config.home} is not a Penstock home yet. Run \`penstock init\` to create a home there, or set PENSTOCK_HOME to your existing home.`,
  );
}

/** Returns a store that others may be using: the one that DATABASE_URL names, or that of the daemon which runs in the home. */
async function sharedStore(config: Config, start: StartOptions): Promise<Store | undefined> {
  if (config.store.databaseUrl === undefined) return attachStore(config, start.log);
  return startStore(config, start);
}

function noDaemon({ home }: Config): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `No daemon is running in ${home}, so the command would wait forever. Start one with \`penstock serve\`.`,
  );
}

/** Returns the actor for the audit log; in a container, the user may have no name. */
function actor(): Actor {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:uid-${process.getuid?.()}`;
  }
}
