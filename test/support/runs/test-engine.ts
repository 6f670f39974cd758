import { randomBytes } from 'node:crypto';
import { providerOf } from '../../../connectors/facts.ts';
import { createEvents, type Events } from '../../../src/events/index.ts';
import { createIdentities, type Identities } from '../../../src/identity/index.ts';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import {
  type Clock,
  createKeyRing,
  createLog,
  type Log,
  Secret,
  stringifyJson,
  type WorkspaceId,
  workspaceId,
} from '../../../src/kernel/index.ts';
import { sealConfig } from '../../../src/pipelines/connections/connection-config.ts';
import {
  connections,
  dataModels,
  type FieldMapping,
  fieldTransformations,
  loadPipeline,
  type Pipeline,
  pipelineRuns,
  pipelines,
  type Run,
  requestRun,
  runFromRow,
  type Schedule,
  type SyncMode,
} from '../../../src/pipelines/index.ts';
import { createEngine, type Engine, type EngineSettings } from '../../../src/runs/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { ConnectionConfig, Connector, ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { until } from '../clocks/until.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';

const key = () => new Secret(randomBytes(32).toString('base64'));
export const IDENTITY_KEY = key();
export const TEST_KEY_RING = createKeyRing([{ id: 'test', key: key() }]);

export interface DaemonOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly connector: Connector;
  readonly folder?: string;
  /** In place of the test's own. */
  readonly environment?: ConnectorEnvironment;
  readonly settings?: Partial<EngineSettings>;
  readonly ceilings?: Readonly<Record<string, number>>;
  readonly identities?: Identities;
  readonly events?: Events;
  readonly log?: Log;
}

/** Worker and scheduler of one daemon without HTTP. Its scheduler looks when the test calls `engine.poll`. */
export interface TestDaemon extends AsyncDisposable {
  readonly engine: Engine;
  readonly jobs: Jobs;
}

export async function startDaemon({ store, clock, connector, ...rest }: DaemonOptions): Promise<TestDaemon> {
  const log = rest.log ?? createLog(process.env.TEST_LOG ?? 'silent');
  const jobs = createJobs({ store, clock, log });
  const identities = rest.identities ?? createIdentities({ key: IDENTITY_KEY, clock });
  const engine = createEngine({
    store,
    jobs,
    identities,
    events: rest.events ?? createEvents({ identities, clock }),
    fleet: { [connector.provider]: connector },
    keyRing: TEST_KEY_RING,
    connectorEnvironment: () =>
      rest.environment ??
      warehouseEnvironment({ ...(rest.folder === undefined ? {} : { folder: rest.folder }), memoryMb: 256 }),
    clock,
    random: () => 0.5,
    log,
    ledgerKey: IDENTITY_KEY,
    ceilings: rest.ceilings ?? {},
    settings: {
      workers: 3,
      workspaceRuns: 4,
      connectionRuns: 4,
      chunkRows: 100,
      runAttempts: 5,
      runHoldMs: 3_600_000,
      ...rest.settings,
    },
    observer: { runEnded: () => undefined, rowsDelivered: () => undefined },
  });
  await engine.register();
  await jobs.start();
  return {
    engine,
    jobs,
    async [Symbol.asyncDispose]() {
      await engine.stop();
      await jobs.drain(10_000);
    },
  };
}

export interface PipelineSpec {
  readonly workspace?: WorkspaceId;
  readonly id?: string;
  readonly connectionId?: string;
  readonly sqlQuery?: string;
  readonly provider?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Those of the connector; default: the password. */
  readonly secretFields?: readonly string[];
  readonly syncMode?: SyncMode;
  readonly schedule?: Schedule;
  readonly environment?: Pipeline['environment'];
  readonly nextDueAtMs?: number;
  /** Makes it an events pipeline. */
  readonly mappings?: readonly FieldMapping[];
  readonly kept?: Pipeline['kept'];
}

export const WORKSPACE = workspaceId(1n);
const audit = { createdOn: new Date(0), createdBy: 'test' };

/** An active pipeline with connection and model of its own, as `sync` would have saved them. */
export async function addPipeline(store: Store, spec: PipelineSpec = {}): Promise<Pipeline> {
  const { workspace = WORKSPACE, id = 'people', connectionId = 'warehouse', schedule = { type: 'on_demand' } } = spec;
  const common = { workspaceId: workspace, name: id, state: 'active' as const, ...audit };
  await store.orm
    .insert(connections)
    .values({
      ...common,
      id: connectionId,
      provider: providerOf(spec.provider ?? '') ?? 'DuckDB',
      config: sealed(workspace, connectionId, spec),
    })
    .onConflictDoNothing();
  await store.orm.insert(dataModels).values({ ...common, id, sqlQuery: spec.sqlQuery ?? 'SELECT * FROM people' });
  const mappings = spec.mappings === undefined ? undefined : stringifyJson(spec.mappings);
  if (mappings !== undefined) {
    await store.orm.insert(fieldTransformations).values({ ...common, id, destinationType: 'events', mappings });
  }
  await store.orm.insert(pipelines).values({
    ...common,
    id,
    pipelineType: mappings === undefined ? 'user_attributes' : 'events',
    connectionId,
    dataModelId: id,
    fieldTransformationId: mappings === undefined ? null : id,
    environment: spec.environment ?? 'production',
    syncMode: spec.syncMode ?? { type: 'full' },
    schedule,
    kept: spec.kept ?? {},
    warnings: [],
    generation: 0,
    failedInARow: 0,
    nextDueAt: spec.nextDueAtMs === undefined ? null : new Date(spec.nextDueAtMs),
  });
  return await readPipeline(store, { workspace, id });
}

function sealed(workspaceId: WorkspaceId, id: string, spec: PipelineSpec): ConnectionConfig {
  const { config = { database: ':memory:' }, secretFields = ['password'] } = spec;
  return sealConfig(TEST_KEY_RING, { workspaceId, id }, { config, secretFields });
}

export async function readPipeline(
  store: Store,
  { workspace = WORKSPACE, id = 'people' }: Pick<PipelineSpec, 'workspace' | 'id'> = {},
): Promise<Pipeline> {
  return (await loadPipeline(store, { workspaceId: workspace, id })).pipeline;
}

/** As a trigger of the API does. */
export async function trigger(daemon: TestDaemon, store: Store, request: { pipeline: Pipeline; nowMs: number }) {
  const { pipeline, nowMs } = request;
  return await store.transaction(async (tx) => {
    const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
    const id = await requestRun(tx, daemon.jobs, { pipeline, type: 'manual', ...times });
    if (id === undefined) throw new Error('A run of the pipeline is live.');
    return id;
  });
}

/** All runs, the oldest first. */
export async function readRuns(store: Store): Promise<readonly Run[]> {
  return (await store.orm.select().from(pipelineRuns).orderBy(pipelineRuns.id)).map(runFromRow);
}

export async function readRun(store: Store, id: bigint): Promise<Run> {
  const run = (await readRuns(store)).find((each) => each.id === id);
  if (run === undefined) throw new Error(`There is no run ${id}.`);
  return run;
}

/** A generous ceiling below that of a test: whole data sets run on machines that do other things as well. */
const LONGEST_RUN_MS = 150_000;

/** Waits until the run has one of the statuses; fails when it ends with another one. */
export async function untilRun(store: Store, id: bigint, ...statuses: readonly Run['status'][]): Promise<Run> {
  let run = await readRun(store, id);
  await until(async () => {
    run = await readRun(store, id);
    return run.endedOn !== null || statuses.includes(run.status);
  }, LONGEST_RUN_MS);
  if (!statuses.includes(run.status)) throw new Error(`The run ended ${run.status}: ${JSON.stringify(run.errors)}`);
  return run;
}

/** Counts of a run as numbers, in the order of the sum that they have to make. */
export function countsOf(run: Run): readonly number[] {
  const { extractedRecords, successfulRecords, failedRecords, deduplicatedRecords, erasedRecords } = run;
  return [extractedRecords, successfulRecords, failedRecords, deduplicatedRecords, erasedRecords].map(Number);
}
