// A daemon of the real program over a store, with running pipelines, that tests kill without warning. One life follows the
// other on the same home until the work is done; then every row is compared.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ApiClient } from '../../../src/cli/api-client.ts';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../clocks/until.ts';
import { install, type Served } from '../stores/installation.ts';
import { temporaryHome } from '../stores/temporary-home.ts';
import { openTestStore } from '../stores/test-store.ts';
import { type CrashPipeline, PIPELINES } from './crash-pipeline.ts';
import { type ProcessOptions, someKeys } from './penstock-process.ts';
import { fails } from './source-rows.ts';

/** Generous: a machine that runs other things too must not fail the comparison. */
const PATIENCE_MS = 300_000;
const JITTER_MS = 40;

export interface CrashSite extends AsyncDisposable {
  readonly folder: string;
  readonly options: ProcessOptions;
  /** The client of the newest daemon. */
  readonly api: ApiClient;
  readonly daemons: readonly Served[];
  /** The store itself, also while no daemon runs where it is shared. */
  readonly store: Store;
  /** Starts a daemon; with an embedded store only after the one before it is gone. */
  serve(): Promise<Served>;
  /** Ends a daemon by a signal: with SIGKILL nothing of what it had in mind happens. */
  end(served: Served, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

export interface SiteOptions {
  /** `shared`: DATABASE_URL, several daemons. */
  readonly store: 'embedded' | 'shared';
  readonly chunkRows: number;
  readonly environment?: Readonly<Record<string, string>>;
}

export async function openCrashSite({ store: kind, chunkRows, environment = {} }: SiteOptions): Promise<CrashSite> {
  const place = await temporaryHome();
  const shared = kind === 'shared' ? await openTestStore() : undefined;
  const options = {
    home: place.path,
    environment: {
      ...{ PENSTOCK_CHUNK_ROWS: String(chunkRows), PENSTOCK_RUN_ATTEMPTS: '20' },
      // one pipeline of every kind at once, and the worker that stays free for other workspaces
      ...{ PENSTOCK_WORKERS: '5', PENSTOCK_WORKSPACE_RUNS: '4' },
      ...(shared === undefined ? {} : { DATABASE_URL: shared.databaseUrl, ...someKeys() }),
      ...environment,
    },
  };
  const installation = await install(options);
  let daemons: readonly Served[] = [];
  let embedded: Store | undefined;
  const forget = async (served: Served) => {
    daemons = daemons.filter((each) => each !== served);
    await embedded?.[Symbol.asyncDispose]();
    embedded = undefined;
  };
  return {
    ...{ folder: installation.folder, options },
    get api() {
      return newest(daemons).api;
    },
    get daemons() {
      return daemons;
    },
    get store() {
      const store = shared ?? embedded;
      if (store === undefined) throw new Error('No daemon runs, and with it no store.');
      return store;
    },
    async serve() {
      const served = await installation.serve();
      daemons = [...daemons, served];
      if (shared === undefined) embedded = await installation.openStore();
      return served;
    },
    async end(served, signal) {
      await forget(served);
      await served.daemon.end(signal);
    },
    async [Symbol.asyncDispose]() {
      for (const served of daemons) {
        await forget(served);
        await served[Symbol.asyncDispose]();
      }
      await shared?.[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function newest(daemons: readonly Served[]): Served {
  const last = daemons.at(-1);
  if (last === undefined) throw new Error('No daemon runs.');
  return last;
}

/** One run of each pipeline, over all of what waits in its source. */
export interface Round extends Work {
  readonly runs: ReadonlyMap<CrashPipeline, number>;
}

/** What there is to wait for: runs, and the rows that they read all in all. */
export interface Work {
  readonly runIds: readonly number[];
  readonly rows: number;
}

export async function startRound({ api }: CrashSite, pipelines: readonly CrashPipeline[]): Promise<Round> {
  const runs = new Map<CrashPipeline, number>();
  let rows = 0;
  for (const pipeline of pipelines) {
    rows += pipeline.known.length + pipeline.waiting.length;
    const { pipeline_run_id: run } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: pipeline.id });
    runs.set(pipeline, Number(run));
  }
  return { runs, runIds: [...runs.values()], rows };
}

/** Waits until this share of the rows has arrived, or all runs are over; answers whether work was left. */
export async function untilShare({ store }: CrashSite, work: Work, share: number): Promise<boolean> {
  const { isLeft } = await until(async () => {
    const [now] = await store.query<{ rows: bigint; left: bigint }>(
      `SELECT coalesce(sum(extracted_records), 0)::bigint AS rows, count(*) FILTER (WHERE ended_on IS NULL) AS left
       FROM pipeline_runs WHERE id = ANY($1)`,
      [work.runIds.map(BigInt)],
    );
    const left = now?.left ?? 0n;
    return left === 0n || Number(now?.rows) >= share * work.rows ? { isLeft: left > 0n } : undefined;
  }, PATIENCE_MS);
  return isLeft;
}

/** Not only right after a chunk: a random moment of the next one. */
export async function aMomentLater(random: () => number): Promise<void> {
  await pause(random() * JITTER_MS);
}

/** As if the heartbeats of a killed daemon were overdue: for tests that are about what comes after that. */
export async function letLeasesEnd({ store }: CrashSite): Promise<void> {
  await store.execute("UPDATE pgboss.job SET heartbeat_on = $1 WHERE state = 'active'", [new Date(0)]);
}

export async function untilOver({ api }: CrashSite, pipeline: Pick<CrashPipeline, 'id'>, run: number) {
  return await until(async () => {
    const answer = await api.get(`${PIPELINES}/${pipeline.id}/runs/${run}`);
    return answer.ended_on === null ? undefined : answer;
  }, PATIENCE_MS);
}

/** Waits for the end of the round and compares: runs, counts, every row that is kept, every failed record. */
export async function expectExact(site: CrashSite, round: Round): Promise<void> {
  for (const [pipeline, id] of round.runs) {
    const run = await untilOver(site, pipeline, id);
    const { waiting: rows, known } = pipeline;
    const failed = rows.filter(fails).length;
    expect({ [pipeline.id]: run }).toMatchObject({
      [pipeline.id]: {
        ...{ status: 'success', errors: [], extracted_records: rows.length + known.length, failed_records: failed },
        ...{ successful_records: rows.length - failed, deduplicated_records: known.length },
      },
    });
    pipeline.expectRun();
    const differences = await pipeline.differences(site.store);
    expect({ [pipeline.id]: differences }).toEqual({ [pipeline.id]: { kept: {}, failed: {} } });
  }
}

/** Of the embedded store's server. */
export async function serverPid({ store }: Pick<CrashSite, 'store'>): Promise<number> {
  const [row] = await store.query<{ pid: string }>(
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid",
  );
  return Number(row?.pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** kill -9 of the server itself; resolves when the daemon has started it again. */
export async function killStore({ store }: CrashSite): Promise<void> {
  process.kill(await serverPid({ store }), 'SIGKILL');
  await until(
    () =>
      store.ping().then(
        () => false,
        () => true,
      ),
    PATIENCE_MS,
  );
  await until(
    () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    PATIENCE_MS,
  );
}
