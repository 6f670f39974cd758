// Pipelines that write MPIDs back, over any warehouse that a conformance fixture can start.
import { createFeed } from '../../../src/access/feeds/create-feed.ts';
import { createIdentities } from '../../../src/identity/index.ts';
import type { WorkspaceId } from '../../../src/kernel/index.ts';
import type { Pipeline, Run } from '../../../src/pipelines/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { Connector, Session, WriteBack, WriteBackRequest } from '../../../src/warehouse/index.ts';
import type { Fixture, Warehouse } from '../../conformance/fixture.ts';
import { factsOf } from '../../conformance/writing-back.ts';
import { someWorkspace, testKeyRing } from '../apis/test-access.ts';
import { type HandClock, handClock } from '../clocks/hand-clock.ts';
import { until } from '../clocks/until.ts';
import { deliverWith, mpidsOf, person } from '../people/deliver-people.ts';
import { openTestStore } from '../stores/test-store.ts';
import {
  addPipeline,
  type DaemonOptions,
  IDENTITY_KEY,
  readRun,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from './test-engine.ts';

/** A customer and an e-mail address, as they stand in the table's row. */
export type Known = readonly [customer: string | null, email: string | null];

export interface WrittenBack extends AsyncDisposable {
  readonly store: Store;
  readonly clock: HandClock;
  readonly warehouse: Warehouse;
  readonly workspace: WorkspaceId;
  pipeline(spec?: Partial<Parameters<typeof addPipeline>[1]>): Promise<Pipeline>;
  /** Triggers it and waits for its end. */
  run(pipeline: Pipeline, ...statuses: readonly Run['status'][]): Promise<Run>;
  readonly engine: TestDaemon['engine'];
  /** One look of the scheduler. */
  poll(): Promise<void>;
  /** The MPIDs of these people by the identity API's own resolution, which makes those that nobody knows. */
  resolve(people: readonly Known[]): Promise<readonly bigint[]>;
}

export interface WrittenBackOptions extends Pick<DaemonOptions, 'settings' | 'log'> {
  /** Done to each call of `apply`, or to each portion, before the connector does it. */
  readonly interfere?: (request: WriteBackRequest, apply: Apply) => Promise<void>;
  /** Takes the calls that reach the connector. */
  readonly calls?: ('load' | 'update')[];
  /** Names of staging tables, as if the product's outlived their sessions. */
  readonly staging?: Set<string>;
  /** How long a run may take: for as many rows as a usual test has not. */
  readonly patienceMs?: number;
}

type Apply = (request: WriteBackRequest) => Promise<unknown>;

/** `statements` make the table `people`. */
export async function openWrittenBack(
  fixture: Fixture,
  statements: readonly string[],
  options: WrittenBackOptions = {},
): Promise<WrittenBack> {
  const [store, warehouse, clock] = [await openTestStore(), await fixture.start(), handClock()];
  await warehouse.seed(statements);
  const { connector } = fixture;
  const access = { store, clock, keyRing: testKeyRing() };
  const { workspaceId: workspace } = await someWorkspace(access);
  const { feed } = await createFeed(
    access,
    { workspaceId: workspace, actor: 'tester' } as Parameters<typeof createFeed>[1],
    { module_name: connector.provider, name: 'write back' },
  );
  const daemon = await startDaemon({
    ...{ store, clock, environment: warehouse.environment },
    ...(options.settings === undefined ? {} : { settings: options.settings }),
    ...(options.log === undefined ? {} : { log: options.log }),
    connector: keepingStaging(interfering(connector, options), options.staging),
  });
  return {
    ...{ store, clock, warehouse, workspace },
    pipeline: (spec = {}) =>
      addPipeline(store, {
        ...{ workspace, provider: connector.provider, config: warehouse.config, secretFields: connector.secretFields },
        sqlQuery: `SELECT customer_id, email, MPID FROM ${factsOf(fixture).table('people')}`,
        ...spec,
        kept: { partnerFeedId: String(feed.id), ...spec.kept },
      }),
    engine: daemon.engine,
    poll: () => daemon.engine.poll(),
    run: (pipeline, ...statuses) => runOf({ daemon, store, clock, patienceMs: options.patienceMs }, pipeline, statuses),
    async resolve(people) {
      const identities = createIdentities({ key: IDENTITY_KEY, clock });
      const scope = { workspaceId: workspace, environment: 'production', mode: 'incremental' } as const;
      const given = people.map(([customer, email]) =>
        person({ ...(customer !== null && { customer_id: customer }), ...(email !== null && { email }) }),
      );
      return mpidsOf(await deliverWith(identities, store, { people: given, scope }));
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    },
  };
}

interface Running {
  readonly daemon: TestDaemon;
  readonly store: Store;
  readonly clock: HandClock;
  readonly patienceMs: number | undefined;
}

async function runOf(
  { daemon, store, clock, patienceMs }: Running,
  pipeline: Pipeline,
  statuses: readonly Run['status'][],
) {
  const id = await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
  if (patienceMs !== undefined) await until(async () => (await readRun(store, id)).endedOn !== null, patienceMs);
  return await untilRun(store, id, ...(statuses.length === 0 ? (['success'] as const) : statuses));
}

type Interfering = Pick<WrittenBackOptions, 'interfere' | 'calls'>;

function interfering(connector: Connector, options: Interfering): Connector {
  const { interfere = async () => undefined, calls = [] } = options;
  return {
    ...connector,
    async open(config, environment, signal) {
      const session: Session = await connector.open(config, environment, signal);
      const { writeBack } = session;
      if (writeBack === undefined) return session;
      const apply = async (request: WriteBackRequest, stop: AbortSignal) => {
        await interfere(request, (other) => writeBack.apply(other, stop));
        calls.push('update');
        return await writeBack.apply(request, stop);
      };
      return {
        ...session,
        [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
        writeBack: { ...writeBack, apply, ...interferingPortions(writeBack, { interfere, calls }) },
      };
    },
  };
}

function interferingPortions(
  { openPortions, apply }: WriteBack,
  { interfere, calls }: Required<Interfering>,
): Pick<WriteBack, 'openPortions'> {
  if (openPortions === undefined) return {};
  return {
    openPortions(request) {
      let current: WriteBackRequest = { ...request, rows: Object.assign([]) };
      const portions = openPortions({ ...request, beforeUpdate: () => current.beforeUpdate() });
      return {
        async load(rows, signal) {
          current = { ...current, rows };
          await interfere(current, (other) => apply(other, signal));
          calls.push('load');
          await portions.load(rows, signal);
        },
        async apply(signal) {
          calls.push('update');
          return await portions.apply(signal);
        },
        [Symbol.asyncDispose]: () => portions[Symbol.asyncDispose](),
      };
    },
  };
}

function keepingStaging(connector: Connector, staging: Set<string> | undefined): Connector {
  if (staging === undefined) return connector;
  return {
    ...connector,
    capabilities: { ...connector.capabilities, keepsStaging: true },
    async open(config, environment, signal) {
      const session = await connector.open(config, environment, signal);
      const { writeBack } = session;
      if (writeBack === undefined) return session;
      return {
        ...session,
        [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
        writeBack: {
          ...writeBack,
          listStaging: async (prefix: string) => [...staging].filter((name) => name.startsWith(prefix)),
          async dropStaging(names: readonly string[]) {
            for (const name of names) staging.delete(name);
          },
        },
      };
    },
  };
}
