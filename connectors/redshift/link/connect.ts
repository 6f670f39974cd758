// One attempt to connect: over the hosts of the configuration, their addresses and the attempts of TLS, within one time limit.
import type pg from 'pg';
import { AppError } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import type { Login, LoginSource } from '../aws/database-login.ts';
import type { RedshiftConfig } from '../config.ts';
import type { Pg } from '../sdk.ts';
import type { Access } from '../statements.ts';
import type { LoadSsh } from '../tunnel/tunnel.ts';
import type { Door } from './dial.ts';
import { guardSocket } from './guard-socket.ts';
import { hasNoTls } from './tls.ts';
import { isWanted, noHostFits, roundsOf, type Wanted } from './wanted-server.ts';
import { type Way, waysOf } from './ways.ts';
import { wireOf } from './wire-query.ts';
import { type Attempt, withinLimit } from './within-limit.ts';

export interface ConnectDeps {
  readonly pg: Pg;
  readonly loadSsh: LoadSsh;
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
  /** Returns user and password for one new connection. */
  readonly login: LoginSource;
  /** Time for all hosts and addresses together. Default: 30 s. */
  readonly connectMs?: number;
}

/** Time for one address; two addresses of a host fit within the wait of an API call. */
const CONNECT_MS = 8000;
/** State of a server that starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';

interface Connected {
  readonly client: pg.Client;
  readonly door: Door;
}

/**
 * Connects to the first server that accepts the connection and is what the round over the hosts wants. Throws
 * WAREHOUSE_UNREACHABLE where none did in time.
 */
export function connectAnywhere(deps: ConnectDeps, signal: AbortSignal, access: Access): Promise<Connected> {
  return withinLimit(deps, signal, (attempt) => connectInOrder(deps, attempt, access));
}

async function connectInOrder(deps: ConnectDeps, attempt: Attempt, access: Access): Promise<Connected> {
  const { signal } = attempt;
  const ways = await attempt.wait(waysOf({ ...deps, network: deps.environment.network }));
  const login = await deps.login(signal);
  const tries = roundsOf(deps.config, access).flatMap((wanted) => ways.map((way) => ({ wanted, way })));
  let failure: unknown;
  for (const { wanted, way } of tries) {
    attempt.begin(way.server);
    try {
      const connected = await connectOn(deps, { ...way, login }, signal);
      if (await isFit(connected, wanted, signal)) return connected;
      failure = noHostFits(wanted);
    } catch (thrown) {
      if (signal.aborted || !mayOthersAccept(thrown, ways.length)) throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

/** Connects to one address, by the first attempt of TLS that the server takes. */
async function connectOn(
  deps: ConnectDeps,
  { attempts, login, ...place }: Way & { readonly login: Login },
  signal: AbortSignal,
): Promise<Connected> {
  let failure: unknown;
  for (const tls of attempts) {
    const door = { ...place, tls };
    try {
      return { client: await connect(deps, { ...door, login }, signal), door };
    } catch (thrown) {
      if (!hasNoTls(thrown)) throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

/** Tells whether the server is wanted, and closes the connection where it is not. */
async function isFit({ client }: Connected, wanted: Wanted, signal: AbortSignal): Promise<boolean> {
  let fits = false;
  try {
    fits = await abortable(client, signal, () => isWanted(client, wanted));
  } finally {
    if (!fits) wireOf(client).stream.destroy();
  }
  return fits;
}

/** Tells whether another server may accept. The refusal of a sign-in is final, that of a server that is starting is not. */
function mayOthersAccept(failure: unknown, servers: number): boolean {
  return (
    hasNoTls(failure) || isNetworkFailure(failure) || (servers > 1 && fieldOf(failure, 'code') === CANNOT_CONNECT_NOW)
  );
}

/** Tells whether another address may succeed; the answer of a server is final. */
function isNetworkFailure(failure: unknown): boolean {
  // a tunnel names its own failures
  if (failure instanceof AppError) return failure.code === 'WAREHOUSE_UNREACHABLE';
  const code = fieldOf(failure, 'code');
  return code === undefined ? fieldOf(failure, 'message') === 'timeout expired' : /^E[A-Z]+$/.test(String(code));
}

/** Connects with every option set: the driver would take a missing one from the environment of the process. */
async function connect(
  { pg, config, environment }: ConnectDeps,
  { address, port, tls, tunnel, login: { user, password } }: Door & { readonly login: Login },
  signal: AbortSignal,
): Promise<pg.Client> {
  const { database } = config;
  const stream = await tunnel?.(signal);
  const client = new pg.Client({
    ...(stream === undefined ? {} : { stream: () => stream }),
    host: address,
    port,
    database,
    user,
    password,
    // a copy: the driver hides the key of the object that it gets, which cancelling needs
    ssl: tls === undefined ? false : { ...tls },
    application_name: 'penstock',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: () => (text: unknown) => text },
  });
  // PGOPTIONS would reach every customer's server: a missing or empty option is looked up in the environment
  delete client.connectionParameters.options;
  guardSocket(wireOf(client), environment.messageBytes);
  // for a connection that dies while idle: the next request gets the error
  client.on('error', () => undefined);
  return await abortable(client, signal, async () => {
    await client.connect();
    return client;
  });
}

/** Runs work. An abort closes the socket, which fails everything that waits for it. */
export async function abortable<Result>(
  client: pg.Client,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const done = new AbortController();
  const abort = () => wireOf(client).stream.destroy(new Error('Connection terminated'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true, signal: done.signal });
  try {
    return await work();
  } catch (failure) {
    wireOf(client).stream.destroy();
    throw failure;
  } finally {
    done.abort();
  }
}
