// The groups API in process: an admin, a reader and a stranger of one workspace.
import { groupsEndpoints } from '../../../src/groups/index.ts';
import { createJobs, type Jobs } from '../../../src/jobs/index.ts';
import { createLog, systemClock, type WorkspaceId } from '../../../src/kernel/index.ts';
import {
  accessServer,
  bearerOf,
  openTestAccess,
  someCredential,
  someWorkspace,
  type TestAccess,
} from './test-access.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const GROUP_BODY = {
  id: 'acme',
  description: 'Colleagues',
  source_user_attribute: 'company',
  attributes: [{ id: 'revenue', type: 'sum' }],
};

export interface Call {
  readonly body?: unknown;
  /** The admin's unless told otherwise. */
  readonly bearer?: string;
  readonly base?: string;
}

export interface GroupsApi extends AsyncDisposable {
  readonly access: TestAccess;
  readonly jobs: Jobs;
  readonly server: ReturnType<typeof accessServer>;
  readonly workspaceId: WorkspaceId;
  readonly admin: string;
  readonly clientId: string;
  readonly reader: string;
  readonly stranger: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  call(method: Method, path: string, call?: Call): Promise<{ readonly status: number; readonly body: any }>;
  create(changes?: object): ReturnType<GroupsApi['call']>;
}

export async function openGroupsApi(): Promise<GroupsApi> {
  const access = await openTestAccess();
  const jobs = createJobs({ store: access.store, clock: systemClock, log: createLog('silent') });
  await jobs.start();
  const server = accessServer(access, groupsEndpoints({ ...access, jobs }));
  const home = await someWorkspace(access, 'home');
  const other = await someWorkspace(access, 'other');
  const readOnly = await someCredential(access, home.accountId, { role: 'read' });
  const admin = await bearerOf(server, home.credential);
  const call: GroupsApi['call'] = async (method, path, { body, bearer = admin, base = '/platform' } = {}) => {
    const answer = await server.inject({
      ...{ method, url: `${base}/workspaces/${home.workspaceId}${path}`, headers: { authorization: bearer } },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };
  return {
    ...{ access, jobs, server, workspaceId: home.workspaceId, admin, call },
    clientId: home.credential?.clientId ?? '',
    reader: await bearerOf(server, readOnly),
    stranger: await bearerOf(server, other.credential),
    create: (changes = {}) => call('POST', '/groups/', { body: { ...GROUP_BODY, ...changes } }),
    async [Symbol.asyncDispose]() {
      await server.close(0);
      await jobs[Symbol.asyncDispose]();
      await access[Symbol.asyncDispose]();
    },
  };
}
