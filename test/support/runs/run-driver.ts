import { createEvents } from '../../../src/events/index.ts';
import type { Identities, Person, ResolutionScope } from '../../../src/identity/index.ts';
import type { Job, Jobs } from '../../../src/jobs/index.ts';
import { AppError, createLog, type WorkspaceId } from '../../../src/kernel/index.ts';
import { type ClaimedRun, claimRun } from '../../../src/runs/lifecycle/claim-run.ts';
import { finishRun } from '../../../src/runs/lifecycle/finish-run.ts';
import { createPlaces } from '../../../src/runs/lifecycle/places.ts';
import { settleFailure } from '../../../src/runs/lifecycle/settle-failure.ts';
import { executeRun } from '../../../src/runs/read/execute-run.ts';
import type { RunsDeps } from '../../../src/runs/runs-deps.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import type { HandClock } from '../clocks/hand-clock.ts';
import type { FakeWarehouse } from '../fakes/fake-warehouse.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';
import { IDENTITY_KEY, TEST_KEY_RING } from './test-engine.ts';

export interface RunDriver {
  readonly deps: RunsDeps;
  /** Called with each chunk's transaction open, its people written. */
  onDelivering: () => Promise<void>;
  /** Called once a chunk's transaction is durable. */
  onDelivered: () => void;
  /** Ends the attempt where it stands, as a kill does: it writes nothing more. */
  kill(): never;
  claim(workspaceId: WorkspaceId, runId: bigint): Promise<ClaimedRun | undefined>;
  /** One attempt of a run to its end, as a worker does it; false when it was killed on the way. */
  attempt(claimed: ClaimedRun): Promise<boolean>;
  /** How often each e-mail address was delivered in the workspace. */
  delivered(workspaceId: WorkspaceId): Promise<ReadonlyMap<string, number>>;
}

/**
 * A worker without a queue, so that a test decides where it is killed. Instead of profiles it leaves one row for each
 * person that was delivered, so that a second delivery shows.
 */
export async function createRunDriver(options: {
  readonly store: Store;
  readonly clock: HandClock;
  readonly warehouse: FakeWarehouse;
  readonly chunkRows: number;
  readonly ceilings?: RunsDeps['ceilings'];
  /** Real ones, for a test about profiles. */
  readonly identities?: Identities;
}): Promise<RunDriver> {
  const { store, clock, warehouse, chunkRows } = options;
  await store.execute('CREATE TABLE IF NOT EXISTS arrivals (scope bigint, email text)');
  const identities = options.identities ?? countingIdentities(() => driver.onDelivering());
  const jobs = { enqueue: async () => undefined, cancel: async () => undefined } as unknown as Jobs;
  const deps: RunsDeps = {
    ...{
      store,
      jobs,
      identities,
      clock,
      keyRing: TEST_KEY_RING,
      ledgerKey: IDENTITY_KEY,
      ceilings: options.ceilings ?? {},
    },
    events: createEvents({ identities, clock }),
    fleet: { DuckDB: warehouse.connector },
    connectorEnvironment: () => warehouseEnvironment(),
    random: () => 0.5,
    log: createLog('silent'),
    settings: { workers: 0, workspaceRuns: 4, connectionRuns: 4, chunkRows, runAttempts: 100, runHoldMs: 3_600_000 },
    observer: { runEnded: () => undefined, rowsDelivered: () => driver.onDelivered() },
  };
  let isKilled = false;
  const driver: RunDriver = {
    deps,
    onDelivering: async () => undefined,
    onDelivered: () => undefined,
    kill() {
      isKilled = true;
      throw new Error('The worker was killed.');
    },
    claim: (workspaceId, runId) =>
      claimRun(deps, { workspaceId, runId, job: jobOf(workspaceId, runId), place: createPlaces(8).enter() }),
    async attempt(claimed) {
      isKilled = false;
      await attempt(deps, claimed, () => isKilled);
      return !isKilled;
    },
    delivered: (workspaceId) => arrivals(store, workspaceId),
  };
  return driver;
}

function jobOf(workspaceId: WorkspaceId, runId: bigint): Job {
  const { signal } = new AbortController();
  return { id: '', queue: 'runs', key: `${workspaceId}/${runId}`, signal, complete: async () => undefined };
}

async function attempt(deps: RunsDeps, claimed: ClaimedRun, isKilled: () => boolean): Promise<void> {
  try {
    await finishRun(deps, claimed, await executeRun(deps, claimed));
  } catch (error) {
    if (isKilled()) return;
    if (!(error instanceof AppError)) throw error;
    await settleFailure(deps, claimed, error.about('pipeline'));
  }
}

interface Prepared {
  readonly scope: ResolutionScope;
  readonly people: readonly Person[];
}

function countingIdentities(onDelivering: () => Promise<void>): Identities {
  const collect = (scope: ResolutionScope) => {
    const people: Person[] = [];
    return { add: (person: Person) => people.push(person), finish: (): Prepared => ({ scope, people }) };
  };
  const deliver = async (tx: Transaction, { scope, people }: Prepared) => {
    const emails = people.map(({ identities }) => identities[0]?.value ?? '');
    await tx.execute('INSERT INTO arrivals SELECT $1, unnest($2::text[])', [scope.workspaceId, emails]);
    await onDelivering();
    if (emails.some((email) => email.startsWith('poison'))) {
      throw new AppError('STORE_DATA', 'The store cannot hold a value of the row.');
    }
    return { outcomes: people.map((_, index) => ({ mpid: BigInt(index) })), createdProfiles: 0, changedProfiles: 0 };
  };
  const findErasedPeople = async () => new Set();
  return { collect, deliver, findErasedPeople } as unknown as Identities;
}

async function arrivals(store: Store, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, number>> {
  const rows = await store.query<{ email: string; times: bigint }>(
    'SELECT email, count(*) AS times FROM arrivals WHERE scope = $1 GROUP BY email',
    [workspaceId],
  );
  return new Map(rows.map(({ email, times }) => [email, Number(times)]));
}
