import { AppError, systemClock } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { removeOrphans } from './child/spill.ts';
import { type DuckDbConfig, isInMemory } from './config.ts';
import type { Host } from './host/host.ts';
import { returnHost, takeHost } from './host/hosts.ts';
import { folderPath, locateDatabase, requireDatabase } from './locate-database.ts';

/** A database that is open in a child. Its last user's disposal closes it. */
export interface Database extends AsyncDisposable {
  readonly host: Host;
}

/** A database and the folder of its workspace. */
interface Place {
  /** Real path of the file, or `:memory:`. */
  readonly path: string;
  /** Real path of the workspace's folder. */
  readonly folder: string;
}

/** A file that this daemon has open for writing. Its readers share that child, because DuckDB lets no other process read it. */
interface Written {
  readonly opening: Promise<Database>;
  users: number;
  /** End of its closing, once the last user has left. */
  closed?: Promise<void>;
}

/** Files that this daemon has open, by path: those being written, and the ends of those being read. */
const writtenFiles = new Map<string, Written>();
const readFiles = new Map<string, Set<Promise<void>>>();

/**
 * Opens a database in a child of its own, so that a statement that ends its process ends no other session. A file is opened
 * READ_ONLY, so that any number of processes may read at the same time, unless a write-back has it open.
 */
export async function openDatabase(config: DuckDbConfig, environment: ConnectorEnvironment): Promise<Database> {
  const folder = await folderPath(environment.folder);
  if (isInMemory(config)) return await openChild({ path: ':memory:', folder }, environment);
  const path = await locateDatabase(environment.folder, config.database);
  await requireDatabase(path, config.database);
  if (environment.writes === true) await waitForReaders(path);
  // until it is closed, nobody may open the file anew
  for (let file = writtenFiles.get(path); file?.closed !== undefined; file = writtenFiles.get(path)) {
    // its failure is that of the session that closed it
    await file.closed.catch(() => undefined);
  }
  if (environment.writes !== true && !writtenFiles.has(path))
    return await openForReading({ path, folder }, environment);
  return await shareWritten({ path, folder }, environment);
}

async function openForReading(place: Place, environment: ConnectorEnvironment): Promise<Database> {
  const closed = Promise.withResolvers<void>();
  const ends = readFiles.get(place.path) ?? new Set();
  readFiles.set(place.path, ends.add(closed.promise));
  const leave = () => {
    ends.delete(closed.promise);
    if (ends.size === 0 && readFiles.get(place.path) === ends) readFiles.delete(place.path);
    closed.resolve();
  };
  try {
    const database = await openChild(place, environment);
    return {
      host: database.host,
      [Symbol.asyncDispose]: () => Promise.resolve(database[Symbol.asyncDispose]()).finally(leave),
    };
  } catch (failure) {
    leave();
    throw failure;
  }
}

async function shareWritten(place: Place, environment: ConnectorEnvironment): Promise<Database> {
  const shared = writtenFiles.get(place.path) ?? { opening: openChild(place, environment), users: 0 };
  writtenFiles.set(place.path, shared);
  shared.users += 1;
  const forget = () => {
    if (writtenFiles.get(place.path) === shared) writtenFiles.delete(place.path);
  };
  const release = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.closed = shared.opening.then((database) => database[Symbol.asyncDispose]()).finally(forget);
    await shared.closed;
  };
  try {
    const { host } = await shared.opening;
    void host.gone.then(forget);
    return { host, [Symbol.asyncDispose]: release };
  } catch (failure) {
    await release().catch(() => undefined);
    throw failure;
  }
}

/** Milliseconds that a write-back waits for this daemon's readers of the file. */
const PATIENCE_MS = 10_000;

async function waitForReaders(path: string): Promise<void> {
  const over = new AbortController();
  const patience = systemClock.sleep(PATIENCE_MS, over.signal).catch(() => undefined);
  for (let ends = readFiles.get(path); ends !== undefined; ends = readFiles.get(path)) {
    const isOver = await Promise.race([Promise.race(ends).then(() => false), patience.then(() => true)]);
    if (!isOver) continue;
    throw new AppError(
      'WAREHOUSE_THROTTLED',
      'The file is being read, so it cannot be written yet; Penstock tries again.',
    );
  }
  over.abort();
}

/** Milliseconds in which a child has to start and to open a database, also on a busy machine. */
const OPEN_LIMIT_MS = 60_000;
const NEVER = new AbortController().signal;

async function openChild({ path, folder }: Place, environment: ConnectorEnvironment): Promise<Database> {
  const { memoryMb, threads, spillMb, statementTimeoutMs: timeoutMs, writes = false } = environment;
  const host = takeHost(folder, memoryMb);
  const limits = { signal: NEVER, limitMs: OPEN_LIMIT_MS };
  const end = async () => {
    await host.end();
    // a folder that cannot be cleaned up is tried again when a database is next opened there
    await removeOrphans(folder).catch(() => undefined);
  };
  try {
    await host.call('open', { path, folder, memoryMb, threads, spillMb, timeoutMs, writes }, limits);
  } catch (failure) {
    await end();
    throw failure;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    // one that does not close at once is ended
    const bytes = await host.call('close', {}, { signal: NEVER, limitMs: 0 });
    await returnHost(host, { folder, memoryMb, bytes });
  };
  return {
    host,
    [Symbol.asyncDispose]: () => {
      closing ??= close().catch(end);
      return closing;
    },
  };
}
