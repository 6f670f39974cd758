// PostgreSQL from npm, in the home, as a child of this process: made at first start, stopped with us, started again when
// it dies; the one that a killed daemon left behind is ended first. One process owns a home at a time.
import { AppError, type Log, messageOf, Secret } from '../../kernel/index.ts';
import { bringUpOn, bringUpOnSomePort } from './bring-up.ts';
import { type Cluster, ensureCluster } from './cluster.ts';
import { findData, refuseDataWithoutRecord } from './find-data.ts';
import { makeHome } from './make-home.ts';
import { findOwner, type OwnerRole, takeOwnership } from './owner-lock.ts';
import { placeBinaries, placeData } from './place.ts';
import { chooseFreePort } from './port.ts';
import { databaseUrlOf, isBelow, makePassword, readRecord, type StoreRecord, writeRecord } from './record.ts';
import { findServerUser, ownerOf } from './server-user.ts';
import { type Supervised, superviseServer } from './supervise.ts';

export interface EmbeddedOptions {
  readonly home: string;
  /** Port of the server. 0 means a free one, chosen at the first start and kept while no other program takes it. */
  readonly port: number;
  readonly syncsToDisk: boolean;
  readonly role: OwnerRole;
  readonly log: Log;
}

export interface EmbeddedStore extends AsyncDisposable {
  readonly databaseUrl: Secret;
}

/** Starts the embedded store. Throws STORE_START with the obstacle and what to do about it. */
export async function startEmbeddedStore(options: EmbeddedOptions): Promise<EmbeddedStore> {
  try {
    await makeHome(options.home);
    await using owned = new AsyncDisposableStack();
    owned.defer((await takeOwnership(options.home, options.role)).release);
    const { record, cluster } = await prepare(options);
    // two homes may lead to the same data outside of them
    if (!isBelow(options.home, cluster.folder))
      owned.defer((await takeOwnership(cluster.folder, options.role)).release);
    const { databaseUrl, server } = await startOwned(options, record, cluster);
    owned.defer(server.stop);
    const kept = owned.move();
    return { databaseUrl, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('STORE_START', `The embedded store in ${options.home} cannot start: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Address of the server that a living daemon runs in `home`; without one the daemon has not got that far yet. */
export interface RunningStore {
  readonly databaseUrl: Secret | undefined;
}

/** Tells whether a living daemon runs in `home`. */
export async function hasDaemon(home: string): Promise<boolean> {
  return (await findOwner(home))?.role === 'daemon';
}

/** Returns the store of the daemon that runs in `home`, undefined without one. */
export async function findRunningStore(home: string): Promise<RunningStore | undefined> {
  if (!(await hasDaemon(home))) return undefined;
  const record = await readRecord(home);
  return { databaseUrl: record === undefined ? undefined : databaseUrlOf(record) };
}

async function startOwned(
  options: EmbeddedOptions,
  record: StoreRecord,
  cluster: Cluster,
): Promise<{ databaseUrl: Secret; server: Supervised }> {
  const { home, syncsToDisk, log } = options;
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

/** Returns the record and the cluster of the home, and creates both at its first start. */
async function prepare({ home, port, log }: EmbeddedOptions): Promise<{ record: StoreRecord; cluster: Cluster }> {
  const found = await readRecord(home);
  if (found === undefined) await refuseDataWithoutRecord(home);
  const kept = found === undefined ? undefined : await findData(home, found);
  const user = kept === undefined ? await findServerUser() : await ownerOf(kept);
  const binaries = await placeBinaries(user, log);
  const folder = kept ?? (await placeData(home, user, log));
  const record: StoreRecord = {
    folder,
    port: port || (found?.port ?? (await chooseFreePort())),
    password: found?.password ?? makePassword(),
  };
  await writeRecord(home, record);
  return { record, cluster: { binaries, folder, user } };
}
