// The composition root: the one place where store, jobs, features, connectors and HTTP meet. It wires and decides nothing.

import { join } from 'node:path';
import { FLEET } from '../connectors/index.ts';
import { SET_UPS } from '../connectors/set-ups.ts';
import { createSettingsReader, ensureSigningKey, requireKnownLimits, type SettingsReader } from './access/index.ts';
import { expireAll } from './app/expire-all.ts';
import { logDisagreements } from './app/log-disagreements.ts';
import { observeBatches, observeRuns, observeStore } from './app/observe.ts';
import { registerDsr } from './app/register-dsr.ts';
import { serveApi } from './app/serve-api.ts';
import type { Config } from './config.ts';
import { createDsr, createProcessor, type Dsr } from './dsr/index.ts';
import { type BatchDoor, createBatchDoor, createEvents, keepPartitions } from './events/index.ts';
import { createGroups } from './groups/index.ts';
import { createMetrics, createOutgoing, createRateLimiter, type HttpServer, type Metrics } from './http/index.ts';
import {
  confirmIdentityKey,
  createIdentities,
  createIdentityRequests,
  type Identities,
  type IdentityRequests,
} from './identity/index.ts';
import { createJobs, type Jobs } from './jobs/index.ts';
import {
  type Clock,
  createProxyRules,
  type KeyRing,
  type Log,
  type Secret,
  systemClock,
  systemRandom,
  type WorkspaceId,
} from './kernel/index.ts';
import { createTrialQueue } from './pipelines/index.ts';
import { createEngine, type Engine, isLedgerAhead } from './runs/index.ts';
import { resolveKeys, type Store, startStore, storeAddress } from './store/index.ts';
import type { ConnectorEnvironment, Fleet } from './warehouse/index.ts';

/** Total time that a call of the API waits for a warehouse. */
export const WAREHOUSE_WAIT_MS = 20_000;
const PARTITIONS_CRON = '7 2 * * *';
const EXPIRY_CRON = '17 3 * * *';

/** The connectors of this build, for commands that probe connections. */
export const connectorFleet: Fleet = FLEET;

/** Set-up SQL of the connectors, for the command that prints it. */
export const warehouseSetUps = SET_UPS;

export interface AppOptions {
  readonly log: Log;
  /** Tests hand in their own. */
  readonly clock?: Clock;
  readonly fleet?: Fleet;
}

/** One daemon. `listen` opens the port and begins to work; `drain` ends both and frees everything. */
export interface App {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly identities: Identities;
  readonly jobs: Jobs;
  readonly http: HttpServer;
  /** The public address of the API. */
  readonly url: string;
  listen(): Promise<void>;
  /** Takes no new work. Within `graceMs` it finishes the chunk being delivered and requeues its run. */
  drain(graceMs: number): Promise<void>;
}

/** Returns what the operator decides for the connectors of a workspace, not a caller. `ownPort` is the port of the API. */
export function connectorEnvironments(
  { home, http, duckdb, warehouse, cloudIdentity, outgoing }: Config,
  { databaseUrl }: Pick<Store, 'databaseUrl'>,
  ownPort = () => http.port,
): (workspaceId: WorkspaceId) => ConnectorEnvironment {
  const { allowedHosts, ...limits } = warehouse;
  const store = storeAddress(databaseUrl);
  const proxyOf = createProxyRules(outgoing.proxies);
  return (workspaceId) => ({
    folder: join(home, 'warehouses', String(workspaceId)),
    network: { allowedHosts, refused: [store, { host: http.host, port: ownPort() }], proxyOf },
    allowsCloudIdentity: cloudIdentity.some((id) => id === 'all' || id === String(workspaceId)),
    ...limits,
    ...duckdb,
  });
}

/** Starts the store and builds a daemon on it that does nothing yet. When it throws, nothing is left running. */
export async function createApp(config: Config, options: AppOptions): Promise<App> {
  requireKnownLimits(config.ceilings);
  logDisagreements(options.log);
  const { keyRing, identityKey } = await resolveKeys(config, options.log);
  const store = await startStore(config, { role: 'daemon', log: options.log });
  try {
    const clock = options.clock ?? systemClock;
    await ensureSigningKey({ store, clock, keyRing });
    await confirmIdentityKey(store, identityKey);
    const identities = createIdentities({ key: identityKey, clock });
    return assemble({
      config,
      store,
      clock,
      keyRing,
      identityKey,
      identities,
      ...options,
      fleet: options.fleet ?? FLEET,
    });
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

interface Parts extends Pick<App, 'store' | 'clock' | 'keyRing' | 'identities'> {
  readonly config: Config;
  readonly identityKey: Secret;
  readonly log: Log;
  readonly fleet: Fleet;
}

function assemble(parts: Parts): App {
  const { store, clock, log, config, keyRing, identityKey, identities } = parts;
  const jobs = createJobs({ store, clock, log });
  const metrics = createMetrics({ clock, log, observeProcess: true });
  const connectorEnvironment = connectorEnvironments(config, store, () => http.port);
  const shared = { store, jobs, clock, keyRing, ceilings: config.ceilings, fleet: parts.fleet, connectorEnvironment };
  const events = createEvents({ identities, clock });
  const engine = createEngine({
    ...shared,
    identities,
    events,
    ledgerKey: identityKey,
    random: systemRandom,
    log,
    settings: config.engine,
    observer: observeRuns(metrics),
  });
  const groups = createGroups({ store, jobs, clock, log, key: identityKey });
  const settingsOf = createSettingsReader({ store, clock, ceilings: config.ceilings });
  const batches = createBatchDoor({ store, clock, events, settingsOf, ...intakeOf(clock, metrics) });
  const requests = createIdentityRequests({ store, identities });
  const dsr = dsrOf(parts, settingsOf, () => http.url);
  const http: HttpServer = serveApi(parts, {
    metrics,
    jobs,
    requests,
    dsr,
    onSettingsReplaced: settingsOf.forget,
    ingest: { store, clock, identities, batches, settingsOf },
    sync: { ...shared, ...apiOfSync(parts), events, identities },
  });
  observeStore(metrics, { store, jobs, clock });
  return {
    store,
    clock,
    keyRing,
    identities,
    jobs,
    http,
    get url() {
      return http.url;
    },
    listen: () => listen(parts, { http, jobs, engine, groups, dsr, settingsOf }),
    drain: (graceMs) => drainAll({ http, engine, jobs, requests, batches, store }, graceMs),
  };
}

/** Returns what the calls of warehouse sync need besides what they share with runs. */
function apiOfSync({ clock, config }: Parts) {
  const runTrial = createTrialQueue({ clock, perMinute: config.trialsPerMinute });
  return { warehouseWaitMs: WAREHOUSE_WAIT_MS, isLedgerAhead, runTrial };
}

interface Listening {
  readonly http: HttpServer;
  readonly jobs: Jobs;
  readonly engine: Engine;
  readonly groups: ReturnType<typeof createGroups>;
  readonly dsr: Dsr;
  readonly settingsOf: SettingsReader;
}

async function listen(parts: Parts, { http, jobs, engine, groups, dsr, settingsOf }: Listening): Promise<void> {
  // before the first batch comes, and then every day
  await keepPartitions(parts);
  await http.listen();
  await registerUpkeep(jobs, parts);
  await engine.register();
  await groups.register();
  await registerDsr({ ...parts, jobs, settingsOf });
  // each daemon works the queue of the cadences, so each has a handler for every one of them
  await dsr.registerSending(jobs);
  // one daemon at most owns a home, and with it the embedded store
  await jobs.start({ isAlone: parts.config.store.databaseUrl === undefined });
  engine.start();
}

async function registerUpkeep(jobs: Jobs, deps: Pick<Parts, 'store' | 'clock' | 'log'>): Promise<void> {
  await jobs.cadence('partitions', PARTITIONS_CRON, () => keepPartitions(deps));
  await jobs.cadence('expire', EXPIRY_CRON, (_dueAt, signal) => expireAll(deps, signal));
}

function dsrOf(parts: Parts, settingsOf: SettingsReader, baseUrl: () => string): Dsr {
  const { config } = parts;
  const { domain, certificate } = config.dsr;
  const processor = createProcessor({ ...parts, domain, files: certificate });
  const outgoing = createOutgoing(config.outgoing);
  return createDsr({ ...parts, settingsOf, baseUrl, outgoing, processor, dsr: config.dsr });
}

const intakeOf = (clock: Clock, metrics: Metrics) => ({
  rates: createRateLimiter({ clock }),
  onOutcome: observeBatches(metrics),
});

interface Running {
  readonly http: HttpServer;
  readonly engine: Engine;
  readonly jobs: Jobs;
  readonly requests: IdentityRequests;
  readonly batches: BatchDoor;
  readonly store: Store;
}

/** Ends a daemon in order: new requests, then work, then open answers, then the store. */
async function drainAll({ http, engine, jobs, requests, batches, store }: Running, graceMs: number): Promise<void> {
  http.drain();
  await engine.stop();
  await jobs.drain(graceMs);
  await http.close(graceMs);
  await Promise.all([batches.drain(), requests.drain()]);
  await store[Symbol.asyncDispose]();
}
