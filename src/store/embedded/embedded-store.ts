// PostgreSQL from npm, in the home, as a child of this process: made at first start, stopped with us, started again when
// it dies; the one that a killed daemon left behind is ended first. One process owns a home at a time.
import { stat } from 'node:fs/promises';
import { AppError, type Log, Secret } from '../../kernel/index.ts';
import { bringUpOn, bringUpOnSomePort } from './bring-up.ts';
import { type Cluster, ensureCluster } from './cluster.ts';
import { makeHome } from './make-home.ts';
import { findOwner, type OwnerRole, takeOwnership } from './owner-lock.ts';
import { placeBinaries, placeData } from './place.ts';
import { chooseFreePort } from './port.ts';
import { databaseUrlOf, makePassword, readRecord, type StoreRecord, writeRecord } from './record.ts';
import { findServerUser, ownerOf } from './server-user.ts';
import { type Supervised, superviseServer } from './supervise.ts';

export interface EmbeddedOptions {
  readonly home: string;
  /** 0: a free one, chosen at the first start and kept while nobody else takes it. */
  readonly port: number;
  readonly syncsToDisk: boolean;
  readonly role: OwnerRole;
  readonly log: Log;
}

export interface EmbeddedStore extends AsyncDisposable {
  readonly databaseUrl: Secret;
}

/** Throws STORE_START with what is in the way and what to do about it. */
export async function startEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  try {
    await makeHome(options.home);
    const ownership = await takeOwnership(options.home, options.role);
    try {
      const { databaseUrl, server } = await startOwned(options);
      return {
        databaseUrl,
        async [Symbol.asyncDispose]() {
          await server.stop();
          await ownership.release();
        },
      };
    } catch (error) {
      await ownership.release();
      throw error;
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const { message } = cause as Error;
    throw new AppError('STORE_START', `The embedded store in ${options.home} cannot start: ${message}`, { cause });
  }
}

/** Address of the server that a living daemon runs in `home`; without one the daemon has not got that far yet. */
export interface RunningStore {
  readonly databaseUrl: Secret | undefined;
}

/** Undefined: no daemon runs in `home`. */
export async function findRunningStore(home: string): Promise<RunningStore | undefined> {
  const owner = await findOwner(home);
  if (owner?.role !== 'daemon') return undefined;
  const record = await readRecord(home);
  return { databaseUrl: record === undefined ? undefined : databaseUrlOf(record) };
}

async function startOwned(options: EmbeddedOptions): Promise<{ databaseUrl: Secret; server: Supervised }> {
  const { home, syncsToDisk, log } = options;
  const { record, cluster } = await prepare(options);
  await ensureCluster(cluster, { password: new Secret(record.password), syncsToDisk });
  if (!syncsToDisk) log.warn({ home }, 'store.fsync_off');
  const bringUp = { home, cluster, syncsToDisk, log };
  const { port, server } =
    options.port === 0
      ? await bringUpOnSomePort(bringUp, record.port, (next) => writeRecord(home, { ...record, port: next }))
      : { port: options.port, server: await bringUpOn(bringUp, options.port) };
  // under a living daemon the port stays: its sessions and those of commands look for the server there
  const supervised = superviseServer(server, () => bringUpOn(bringUp, port), log);
  return { databaseUrl: databaseUrlOf({ ...record, port }), server: supervised };
}

/** What the home remembers, or what it will remember from its first start on. */
async function prepare({ home, port, log }: EmbeddedOptions): Promise<{ record: StoreRecord; cluster: Cluster }> {
  const found = await readRecord(home);
  if (found !== undefined) await requireFolder(home, found.folder);
  const user = found === undefined ? await findServerUser() : await ownerOf(found.folder);
  const binaries = await placeBinaries(user, log);
  const folder = found?.folder ?? (await placeData(home, user, log));
  const record: StoreRecord = {
    folder,
    port: port || (found?.port ?? (await chooseFreePort())),
    password: found?.password ?? makePassword(),
  };
  await writeRecord(home, record);
  return { record, cluster: { binaries, folder, user } };
}

async function requireFolder(home: string, folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined) return;
  throw new AppError(
    'STORE_START',
    `The data of the embedded store, ${folder}, is not there any more. Put it back from a backup, or remove ${home}/store.json to begin with an empty store.`,
  );
}
