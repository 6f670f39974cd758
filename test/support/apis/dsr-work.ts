import { createSettingsReader } from '../../../src/access/index.ts';
import type { RequestKey } from '../../../src/dsr/claim-request.ts';
import { openSubject, type Request, type Subject, sealSubject } from '../../../src/dsr/request.ts';
import { executeRequest } from '../../../src/dsr/work/execute-request.ts';
import { createTurnsAndScans } from '../../../src/dsr/work/register-request-worker.ts';
import type { WorkDeps } from '../../../src/dsr/work/work-deps.ts';
import type { Identity } from '../../../src/identity/index.ts';
import {
  type Clock,
  createIdSource,
  createKeyRing,
  createLog,
  Secret,
  workspaceId,
} from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { testTombstones } from '../people/erase-people.ts';
import { insertRequest } from './dsr-requests.ts';

export const TEST_KEY_RING = createKeyRing([{ id: 'test', key: new Secret(Buffer.alloc(32, 7).toString('base64')) }]);
/** Of the same installation as `testIdentities`. */
export const TEST_IDENTITY_KEY = new Secret('the key of all tests');

export function workDeps(store: Store, clock: Clock, given: Partial<WorkDeps> = {}): WorkDeps {
  return {
    ...{ store, clock, random: () => 0.5, log: createLog('silent'), keyRing: TEST_KEY_RING },
    ...{ identityKey: TEST_IDENTITY_KEY, tombstones: testTombstones, nextId: createIdSource(clock) },
    settingsOf: createSettingsReader({ store, clock }),
    fillerCarriers: 1000,
    ...createTurnsAndScans(),
    ...given,
  };
}

type Row = NonNullable<Parameters<typeof insertRequest>[1]>;

/** An erasure that is in progress, of people named by identities or MPIDs. */
export async function insertErasure(
  store: Store,
  named: { readonly identities?: readonly Identity[]; readonly mpids?: readonly bigint[] },
  given: Row = {},
): Promise<Request> {
  const request = await insertRequest(store, { type: 'erasure', ...given });
  const identities = (named.identities ?? []).map((identity) => ({ ...identity, name: identity.type }));
  const subject: Subject = { identities, mpids: named.mpids ?? [] };
  const sealed = sealSubject(TEST_KEY_RING, request, subject);
  await store.execute('UPDATE dsr_requests SET subject = $3 WHERE workspace_id = $1 AND id = $2', [
    ...[request.workspaceId, request.id, sealed],
  ]);
  return { ...request, subject: sealed };
}

export const subjectOf = (request: Request) => openSubject(TEST_KEY_RING, request);

export const keyOf = ({ workspaceId: id, id: request }: Pick<Request, 'workspaceId' | 'id'>): RequestKey => ({
  workspaceId: workspaceId(id),
  id: request,
});

export async function readRequest(store: Store, { workspaceId: workspace, id }: Pick<Request, 'workspaceId' | 'id'>) {
  const rows = await store.query<{ readonly row: string }>(
    'SELECT row_to_json(r)::text AS row FROM dsr_requests r WHERE workspace_id = $1 AND id = $2',
    [workspace, id],
  );
  return JSON.parse(rows[0]?.row ?? 'null') as Readonly<Record<string, unknown>>;
}

export async function work(deps: WorkDeps, request: Pick<Request, 'workspaceId' | 'id'>): Promise<void> {
  await executeRequest(deps, keyOf(request), new AbortController().signal);
}
