// One connection to the server. Its address is checked before it opens, errors that could end the process are caught, and its
// sessions have the same settings everywhere.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { AppError, systemClock } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { noAnswerWithin } from '../../_shared/timeout-error.ts';
import type { Login, LoginSource } from '../aws/database-login.ts';
import type { RedshiftConfig } from '../config.ts';
import type { Pg, RawRow } from '../sdk.ts';
import { type Access, type Product, productOf, ROLLBACK, STATEMENTS } from '../statements.ts';
import type { LoadSsh } from '../tunnel/tunnel.ts';
import { runCopy } from './copy-in.ts';
import { type Door, requestCancel } from './dial.ts';
import { askFetchLimit } from './fetch-limit.ts';
import { guardSocket } from './guard-socket.ts';
import { hasNoTls } from './tls.ts';
import { isWanted, noHostFits, roundsOf, type Wanted } from './wanted-server.ts';
import { type Way, waysOf } from './ways.ts';
import { type Answer, type Messages, runMessages, wireOf } from './wire-query.ts';

export interface Link {
  readonly product: Product;
  /** Most rows that one FETCH of a cursor may ask for; Redshift only. */
  readonly mostFetchedRows: number;
  /** The connection is usable. After a failure or a cancel it is closed and not used again. */
  isSound: boolean;
  /** Begins the transaction of all that follows, with a newer snapshot than the last one's. */
  begin(): Promise<void>;
  /** Runs one or more statements without parameters and returns the rows of the last, as the server wrote them. */
  run(sql: string): Promise<readonly RawRow[]>;
  messages(messages: Messages): Promise<Answer>;
  /** Runs one statement that writes and returns how many rows it changed. */
  change(sql: string): Promise<number>;
  /** Runs `COPY … FROM STDIN`; PostgreSQL only. */
  copy(sql: string, parts: Iterable<string>): Promise<void>;
  /** Pauses reading from the socket, so that the server waits; `resume` continues. */
  pause(): void;
  resume(): void;
  /** Asks the server to cancel the current work of this connection. */
  cancel(): Promise<void>;
  /** Closes an idle connection in order, and a busy one at once. Never throws. */
  close(): Promise<void>;
}

export interface LinkDeps {
  readonly pg: Pg;
  readonly loadSsh: LoadSsh;
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
  /** Returns user and password for one new connection. */
  readonly login: LoginSource;
}

/** Time for one address; two addresses of a host fit within the wait of an API call. */
const CONNECT_MS = 8000;
const CLOSE_MS = 1000;
/** State of a server that starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';

/** Opens a connection to the first address that accepts one. Throws the driver's errors, and WAREHOUSE_CONFIG. */
export async function openLink(deps: LinkDeps, signal: AbortSignal, access: Access = 'read'): Promise<Link> {
  const { client, door } = await connectAnywhere(deps, signal, access);
  const link = linkOf(client, door, { access, timeoutMs: deps.environment.statementTimeoutMs });
  return await abortable(client, signal, async () => {
    const [[version] = []] = await link.run('SELECT version()');
    link.product = productOf(version ?? '');
    if (link.product === 'Redshift' && access === 'read') link.mostFetchedRows = await askFetchLimit(link.run);
    await link.begin();
    return link;
  });
}

interface Connected {
  readonly client: pg.Client;
  readonly door: Door;
}

/** Connects to the first server that accepts the connection and is what the round over the hosts wants. */
async function connectAnywhere(deps: LinkDeps, signal: AbortSignal, access: Access): Promise<Connected> {
  const ways = await waysOf({ ...deps, network: deps.environment.network });
  const login = await deps.login(signal);
  const tries = roundsOf(deps.config, access).flatMap((wanted) => ways.map((way) => ({ wanted, way })));
  let failure: unknown;
  for (const { wanted, way } of tries) {
    try {
      const connected = await connectOn(deps, { ...way, login }, signal);
      if (await isFit(connected, wanted)) return connected;
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
  deps: LinkDeps,
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
async function isFit({ client }: Connected, wanted: Wanted): Promise<boolean> {
  let fits = false;
  try {
    fits = await isWanted(client, wanted);
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
  { pg, config, environment }: LinkDeps,
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
async function abortable<Result>(client: pg.Client, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
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

/** Returns a guard that closes a silent connection. A server cancels a statement at its timeout; one that does not is gone. */
function silenceGuard(stream: Duplex, timeoutMs: number): <Result>(work: Promise<Result>) => Promise<Result> {
  const limitMs = Math.round(timeoutMs * 1.1 + 1000);
  return async (work) => {
    const answered = new AbortController();
    systemClock.sleep(limitMs, answered.signal).then(
      () => stream.destroy(noAnswerWithin(limitMs)),
      () => undefined,
    );
    try {
      return await work;
    } finally {
      answered.abort();
    }
  };
}

/** A link whose server has not said yet what it is. */
interface OpeningLink extends Link {
  product: Product;
  mostFetchedRows: number;
}

interface LinkSettings {
  readonly access: Access;
  readonly timeoutMs: number;
}

function linkOf(client: pg.Client, door: Door, { access, timeoutMs }: LinkSettings): OpeningLink {
  // the server's number for this connection, and the secret that allows to cancel it
  const { processID: pid, secretKey: key } = client;
  const wire = wireOf(client);
  const answer = silenceGuard(wire.stream, timeoutMs);
  const ask = async (text: string) => {
    const results = await answer(client.query<RawRow>({ text, rowMode: 'array' }));
    // several statements have several results, despite the driver's types
    const last: pg.QueryArrayResult<RawRow> = Array.isArray(results) ? results.at(-1) : results;
    return last;
  };
  const run = async (text: string) => (await ask(text)).rows;
  let hasBegun = false;
  const link: OpeningLink = {
    product: 'PostgreSQL',
    mostFetchedRows: 0,
    isSound: true,
    async begin() {
      if (hasBegun) await run(ROLLBACK);
      hasBegun = true;
      await run(STATEMENTS[link.product].begin(timeoutMs, access).join('; '));
    },
    run,
    messages: (messages) => answer(runMessages(client, messages)),
    change: async (sql) => (await ask(sql)).rowCount ?? 0,
    copy: (sql, parts) => answer(runCopy(client, sql, parts)),
    pause: () => void wire.stream.pause(),
    resume: () => void wire.stream.resume(),
    cancel: () => requestCancel(door, { pid, key }),
    async close() {
      wire.stream.resume();
      const ended = new AbortController();
      const ending = client.end().catch(() => undefined);
      const patience = systemClock.sleep(CLOSE_MS, ended.signal).catch(() => undefined);
      await Promise.race([ending, patience]);
      ended.abort();
      wire.stream.destroy();
    },
  };
  return link;
}
