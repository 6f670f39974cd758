import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { AccessDeps, Actor } from '../access/index.ts';
import type { Config } from '../config.ts';
import { AppError, createLog, type Secret, systemClock } from '../kernel/index.ts';
import { attachStore, resolveKeys, type StartOptions, type Store, startStore } from '../store/index.ts';
import type { CommandContext } from './command.ts';

/** What a command works with: the same rooms and the same store as the daemon, without its workers. */
export interface Operator extends AccessDeps {
  /** Who stands in the audit log. */
  readonly actor: Actor;
  /** Of the hashes of identities. */
  readonly identityKey: Secret;
  /** Whether a daemon works on this store; of one that DATABASE_URL names nobody here can tell, so true. */
  readonly hasDaemon: boolean;
}

interface OperatorOptions {
  /** Only what begins a new installation makes a home; in any other command its absence is a wrong folder. */
  readonly mayMakeHome?: true;
  /** Waiting for work makes no sense where nobody works, and a command that holds the store keeps the daemon out. */
  readonly needsDaemon?: boolean;
}

/**
 * Runs one command on the store: the running daemon's own, the one DATABASE_URL names, or the embedded one, which is then
 * started for the command and stopped after it. Remarks go to the error output, so that answers can be piped.
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

/** Whether the home that the configuration names was ever used. */
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
    `There is no Penstock in ${config.home} yet. Run \`penstock init\` to begin one there, or set PENSTOCK_HOME to the folder of yours.`,
  );
}

/** The store that others may be using: the one DATABASE_URL names, or that of the daemon which runs in the home. */
async function sharedStore(config: Config, start: StartOptions): Promise<Store | undefined> {
  if (config.store.databaseUrl === undefined) return attachStore(config, start.log);
  return startStore(config, start);
}

function noDaemon({ home }: Config): AppError {
  return new AppError(
    'STORE_UNAVAILABLE',
    `No daemon runs in ${home}, so there is nothing to wait for. Start one with \`penstock serve\`.`,
  );
}

/** A container may run as a user that has no name. */
function actor(): Actor {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:uid-${process.getuid?.()}`;
  }
}
