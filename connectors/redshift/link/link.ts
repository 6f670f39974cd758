// One connection to the server: where it leads is checked before it opens, what could break the process is caught, and
// what its sessions are set to is the same everywhere.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { systemClock } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { resolveHost } from '../../_shared/resolve-host.ts';
import { type RedshiftConfig, targetOf } from '../config.ts';
import type { Pg, RawRow, Wire } from '../sdk.ts';
import { type Access, type Product, productOf, ROLLBACK, STATEMENTS } from '../statements.ts';
import { runCopy } from './copy-in.ts';
import { type Door, requestCancel } from './dial.ts';
import { guardSocket } from './guard-socket.ts';
import { attemptsOf, hasNoTls } from './tls.ts';
import { type Answer, type Messages, runMessages } from './wire-query.ts';

export interface Link {
  readonly product: Product;
  /** False once something failed or was broken off: it is closed and not used again. */
  isSound: boolean;
  /** Begins the transaction of all that follows, whose snapshot is newer than that of the one before. */
  begin(): Promise<void>;
  /** One or more statements without parameters; the rows of the last, as the server wrote them. */
  run(sql: string): Promise<readonly RawRow[]>;
  messages(messages: Messages): Promise<Answer>;
  /** One statement that writes; how many rows it changed. */
  change(sql: string): Promise<number>;
  /** `COPY … FROM STDIN`; PostgreSQL only. */
  copy(sql: string, parts: Iterable<string>): Promise<void>;
  /** Stops and goes on taking bytes from the socket: the server waits meanwhile. */
  pause(): void;
  resume(): void;
  /** Asks the server to break off what this connection does. */
  cancel(): Promise<void>;
  /** In order where it is idle, at once where it is not. Never throws. */
  close(): Promise<void>;
}

export interface LinkDeps {
  readonly pg: Pg;
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
}

/** Two addresses of a host are tried within the time that a call of the API waits. */
const CONNECT_MS = 8000;
const CLOSE_MS = 1000;

/** Opens a connection to the first address that takes it. Throws what the driver throws, and WAREHOUSE_CONFIG. */
export async function openLink(deps: LinkDeps, signal: AbortSignal, access: Access = 'read'): Promise<Link> {
  const { client, door } = await connectAnywhere(deps, signal);
  const link = linkOf(client, door, { access, timeoutMs: deps.environment.statementTimeoutMs });
  return await abortable(client, signal, async () => {
    const [[version] = []] = await link.run('SELECT version()');
    link.product = productOf(version ?? '');
    await link.begin();
    return link;
  });
}

interface Connected {
  readonly client: pg.Client;
  readonly door: Door;
}

async function connectAnywhere(deps: LinkDeps, signal: AbortSignal): Promise<Connected> {
  const target = targetOf(deps.config);
  const addresses = await resolveHost(target, deps.environment.network);
  const failures: unknown[] = [];
  for (const address of addresses) {
    for (const tls of attemptsOf(deps.config, address)) {
      const door = { address, port: target.port, tls };
      try {
        return { client: await connect(deps, door, signal), door };
      } catch (failure) {
        failures.push(failure);
        if (signal.aborted || !(hasNoTls(failure) || isNetworkFailure(failure))) throw failure;
      }
    }
  }
  throw failures.at(-1);
}

/** Another address may do better; a server that answered has the last word. */
function isNetworkFailure(failure: unknown): boolean {
  const { code, message } = failure as { readonly code?: string; readonly message?: string };
  return code === undefined ? message === 'timeout expired' : /^E[A-Z]+$/.test(code);
}

/** The driver would take what is not given from the environment of the process. */
async function connect(
  { pg, config, environment }: LinkDeps,
  { address, port, tls }: Door,
  signal: AbortSignal,
): Promise<pg.Client> {
  const { database, user, password } = config;
  const client = new pg.Client({
    host: address,
    port,
    database,
    user,
    password,
    ssl: tls ?? false,
    application_name: 'penstock',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: () => (text: unknown) => text },
  });
  // PGOPTIONS would reach every customer's server: an option that is not given, or empty, is looked for in the environment
  delete (client as unknown as { readonly connectionParameters: { options?: string } }).connectionParameters.options;
  guardSocket(wireOf(client), environment.messageBytes);
  // a connection that dies while nobody asks it anything: the next question meets it
  client.on('error', () => undefined);
  return await abortable(client, signal, async () => {
    await client.connect();
    return client;
  });
}

function wireOf(client: pg.Client): Wire {
  return client.connection as unknown as Wire;
}

/** An abort closes the socket, which fails whatever waits for it. */
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

/** A server breaks a statement off by itself when its time is over; one that does not is not there any more. */
function silenceGuard(stream: Duplex, timeoutMs: number): <Result>(work: Promise<Result>) => Promise<Result> {
  const limitMs = Math.round(timeoutMs * 1.1 + 1000);
  return async (work) => {
    const answered = new AbortController();
    systemClock.sleep(limitMs, answered.signal).then(
      () => stream.destroy(Object.assign(new Error(`No answer within ${limitMs / 1000} s`), { code: 'ETIMEDOUT' })),
      () => undefined,
    );
    try {
      return await work;
    } finally {
      answered.abort();
    }
  };
}

interface LinkSettings {
  readonly access: Access;
  readonly timeoutMs: number;
}

function linkOf(client: pg.Client, door: Door, { access, timeoutMs }: LinkSettings): Link & { product: Product } {
  // the server's number for this connection and the secret that allows to cancel it
  const { processID: pid, secretKey: key } = client as unknown as Readonly<Record<'processID' | 'secretKey', number>>;
  const wire = wireOf(client);
  const answer = silenceGuard(wire.stream, timeoutMs);
  const ask = async (text: string) => {
    const results: unknown = await answer(client.query({ text, rowMode: 'array' }));
    const last = Array.isArray(results) ? results.at(-1) : results;
    return last as { readonly rows: readonly RawRow[]; readonly rowCount: number | null };
  };
  const run = async (text: string) => (await ask(text)).rows;
  let hasBegun = false;
  const link: Link & { product: Product } = {
    product: 'PostgreSQL',
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
