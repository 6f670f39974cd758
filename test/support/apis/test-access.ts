import { randomBytes } from 'node:crypto';
import {
  type AccessDeps,
  accessEndpoints,
  createAllowsOrigin,
  createAuthenticate,
  createPlatformCredential,
  createSigningKeys,
  ensureSigningKey,
  type Initialised,
  initialise,
  type Role,
} from '../../../src/access/index.ts';
import type { Endpoint, HttpServer, HttpServerOptions } from '../../../src/http/index.ts';
import {
  createKeyRing,
  createLog,
  type KeyRing,
  type Log,
  Secret,
  type WorkspaceId,
} from '../../../src/kernel/index.ts';
import { dataPlanUses } from '../../../src/pipelines/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { type FakeClock, fakeClock } from '../clocks/fake-clock.ts';
import { openTestStore } from '../stores/test-store.ts';
import { httpServer } from './http-server.ts';

export const BASE_URL = 'https://penstock.test';
export const ACTOR = 'cli:tester';

export function testKeyRing(...ids: readonly string[]): KeyRing {
  const names = ids.length === 0 ? ['test'] : ids;
  return createKeyRing(names.map((id) => ({ id, key: new Secret(Buffer.alloc(32, id).toString('base64')) })));
}

export interface TestAccess extends AccessDeps, AsyncDisposable {
  readonly store: Store;
  readonly clock: FakeClock;
}

/** A store of its own with a clock that stands still, and a signing key unless the test is about them. */
export async function openTestAccess(options: { readonly withoutSigningKey?: true } = {}): Promise<TestAccess> {
  const store = await openTestStore();
  const access = { store, clock: fakeClock(), keyRing: testKeyRing() };
  if (options.withoutSigningKey !== true) await giveSigningKey(access);
  return { ...access, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

let signingKeyRow: string | undefined;

/** Making an RSA key takes long, so all stores of a test file share one. */
async function giveSigningKey(deps: AccessDeps): Promise<void> {
  const { store } = deps;
  if (signingKeyRow === undefined) {
    await ensureSigningKey(deps);
    const [row] = await store.query<{ row: string }>('SELECT row_to_json(signing_keys)::text AS row FROM signing_keys');
    signingKeyRow = row?.row;
  } else {
    await store.query('INSERT INTO signing_keys SELECT * FROM json_populate_record(NULL::signing_keys, $1)', [
      signingKeyRow,
    ]);
  }
}

/** Organisation, account, workspace and admin credential, named by `name` or at random. */
export function someWorkspace(deps: AccessDeps, name: string = randomBytes(4).toString('hex')): Promise<Initialised> {
  return initialise(deps, { organisation: name, account: name, workspace: name, actor: ACTOR });
}

/** The daemon's HTTP side with the real bearer check; `endpoints` come on top of this room's. */
export function accessServer(
  deps: AccessDeps & { readonly ceilings?: Readonly<Record<string, number>> },
  endpoints: readonly Endpoint[] = [],
  {
    baseUrl = BASE_URL,
    log = createLog('silent'),
    http = {},
  }: { readonly baseUrl?: string; readonly log?: Log; readonly http?: Partial<HttpServerOptions> } = {},
): HttpServer {
  const signingKeys = createSigningKeys(deps);
  const all = { ...deps, signingKeys, baseUrl: () => baseUrl, dataPlanUses };
  return httpServer([...accessEndpoints(all), ...endpoints], {
    allowsOrigin: createAllowsOrigin(deps),
    authenticate: createAuthenticate({ ...all, signatureWindowMs: 300_000, keyOnlyPerSecond: 50 }),
    clock: deps.clock,
    log,
    ...http,
  });
}

export interface TokenClient {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/** `Bearer …` for the credential, as the token endpoint gives it. */
export async function bearerOf(
  server: HttpServer,
  client: TokenClient | undefined,
  audience: string = BASE_URL,
): Promise<string> {
  const answer = await server.inject({
    method: 'POST',
    url: '/oauth/token',
    payload: {
      client_id: client?.clientId,
      client_secret: client?.clientSecret.reveal(),
      audience,
      grant_type: 'client_credentials',
    },
  });
  const { access_token: token } = JSON.parse(answer.body) as { access_token?: string };
  if (token === undefined) throw new Error(`No token: ${answer.statusCode} ${answer.body}`);
  return `Bearer ${token}`;
}

/** A further credential of the account. */
export function someCredential(
  deps: AccessDeps,
  accountId: bigint,
  rights: { readonly role: Role; readonly workspaceIds?: readonly WorkspaceId[] },
): Promise<TokenClient> {
  const name = randomBytes(4).toString('hex');
  const { role, workspaceIds } = rights;
  return createPlatformCredential(deps, { accountId, name, role, workspaceIds, actor: ACTOR });
}
