// A workspace with groups, without HTTP and without daemons: definitions, runs, and how profiles read.
import type { GivenDefinition } from '../../../src/groups/check-definition.ts';
import { deleteDefinition } from '../../../src/groups/delete-definition.ts';
import {
  forgetMembers,
  type GroupRun,
  type GroupsDeps,
  loadGroupRun,
  type RunDeps,
  requestGroupRun,
  workGroupRuns,
} from '../../../src/groups/index.ts';
import { changeDefinition, createDefinition, type Edit } from '../../../src/groups/save-definition.ts';
import {
  ENVIRONMENT_NUMBER,
  type Environment,
  type ProfileAttribute,
  readProfile,
} from '../../../src/identity/index.ts';
import { createLog, Secret, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { someWorkspace, testKeyRing } from '../apis/test-access.ts';
import { type FakeClock, fakeClock } from '../clocks/fake-clock.ts';
import { openTestStore } from '../stores/test-store.ts';
import { deliver, mpidsOf, person, SCOPE } from './deliver-people.ts';

export const WORKSPACE = workspaceId(7n);
const CALLER = { workspaceId: WORKSPACE, actor: 'tester' };

export const DEFINITION: GivenDefinition = {
  id: 'acme',
  description: 'Colleagues',
  source_user_attribute: 'company',
  attributes: [{ id: 'revenue', type: 'sum' }],
};

/** Attributes as JSON text; null removes one. */
export type Said = Readonly<Record<string, string | null>>;

interface When {
  /** Microseconds. */
  readonly at?: bigint;
  readonly environment?: Environment;
}

export interface TestGroups extends AsyncDisposable {
  readonly deps: GroupsDeps & RunDeps & { readonly clock: FakeClock };
  /** Keys of the jobs that were asked for. */
  readonly woken: string[];
  define(changes?: Partial<GivenDefinition>): Promise<void>;
  change(edit: Edit, id?: string): Promise<void>;
  remove(): Promise<void>;
  /** Sets attributes of the person with that customer_id, who is made when new; answers the MPID. */
  say(customerId: string, attributes: Said, when?: When): Promise<bigint>;
  /** Requests a run and carries it out. */
  run(): Promise<GroupRun>;
  request(): Promise<GroupRun>;
  /** Carries out what there is to do, or until the run is as wanted before a step. */
  work(how?: { until(run: GroupRun): boolean }): Promise<void>;
  keptGroups(): Promise<number>;
  erase(mpids: readonly bigint[], environment?: Environment): Promise<number>;
  /** What the profile inherits, JSON text by name; undefined: there is no such profile. */
  inherited(mpid: bigint, environment?: Environment): Promise<Said | undefined>;
}

export async function openTestGroups(): Promise<TestGroups> {
  const store = await openTestStore();
  await makeWorkspace(store);
  const clock = fakeClock();
  const woken: string[] = [];
  const jobs: GroupsDeps['jobs'] = {
    enqueue: async (_tx, _queue, { key }) => {
      woken.push(key);
    },
  };
  const deps = { store, clock, jobs, log: createLog('silent'), key: new Secret('the key of all tests') };
  const request = () => requestGroupRun(deps, { workspaceId: WORKSPACE, actor: 'tester' });
  return {
    ...{ deps, woken, request },
    async define(changes = {}) {
      await createDefinition(deps, CALLER, { ...DEFINITION, ...changes });
    },
    async change(edit, id = DEFINITION.id) {
      await changeDefinition(deps, CALLER, { id, edit });
    },
    remove: () => deleteDefinition(deps, CALLER, DEFINITION.id),
    async say(customerId, attributes, { at = 1n, environment = 'production' } = {}) {
      const people = [person({ customer_id: customerId }, attributes, at)];
      const [mpid = 0n] = mpidsOf(await deliver(store, people, { ...SCOPE, workspaceId: WORKSPACE, environment }));
      return mpid;
    },
    async work({ until } = { until: () => false }) {
      const stop = new AbortController();
      const steps = workGroupRuns(deps, {
        ...{ workspaceId: WORKSPACE, signal: stop.signal },
        onStep: (run) => run !== undefined && until(run) && stop.abort('stopped'),
      });
      await steps.catch((error: unknown) => {
        if (error !== 'stopped') throw error;
      });
    },
    async keptGroups() {
      const rows = await store.query('SELECT 1 FROM group_attributes WHERE workspace_id = $1', [WORKSPACE]);
      return rows.length;
    },
    async run() {
      const { id } = await request();
      await workGroupRuns(deps, { workspaceId: WORKSPACE });
      return await loadGroupRun(store, { workspaceId: WORKSPACE, id });
    },
    erase: (mpids, environment = 'production') =>
      store.transaction(async (tx) => {
        await tx.execute('DELETE FROM profiles WHERE workspace_id = $1 AND environment = $2 AND mpid = ANY ($3)', [
          ...[WORKSPACE, ENVIRONMENT_NUMBER[environment], mpids],
        ]);
        return forgetMembers(tx, { workspaceId: WORKSPACE, environment, mpids, nowMs: clock.nowMs() });
      }),
    async inherited(mpid, environment = 'production') {
      const profile = await readProfile(store, { workspaceId: WORKSPACE, environment }, mpid);
      return profile && inheritedOf(profile.attributes);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The audit log refers to it. */
async function makeWorkspace(store: Store): Promise<void> {
  const { accountId } = await someWorkspace({ store, clock: fakeClock(), keyRing: testKeyRing() });
  await store.execute(
    `INSERT INTO workspaces (id, account_id, name, created_on) OVERRIDING SYSTEM VALUE VALUES ($1, $2, 'groups', $3)`,
    [WORKSPACE, accountId, new Date(0)],
  );
}

function inheritedOf(attributes: readonly Pick<ProfileAttribute, 'name' | 'value'>[]): Said {
  const ofGroup = attributes.filter(({ name }) => name.startsWith(`${DEFINITION.id}:`));
  return Object.fromEntries(ofGroup.map(({ name, value }) => [name.slice(DEFINITION.id.length + 1), value]));
}
