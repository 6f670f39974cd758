// The one session on the server behind a session of ours, opened at the first use, and anew when the server has forgotten it.
import { systemClock } from '../../src/kernel/index.ts';
import { isUnknownSetting, type Link, type LinkDeps, openLink, RefusedCall } from './link.ts';
import { retryAfterSecondsOf } from './retry-after.ts';
import { mayReachStorage } from './rows/file-fetcher.ts';
import { int64, type Sdk, type SessionHandle } from './sdk.ts';
import { type StartedStatement, type StatementToStart, startStatement } from './statement.ts';
import { openingSql } from './statements.ts';
import { startTagged, type UnknownSettings } from './tagged-statement.ts';
import { bounded, keep, unlessAborted } from './waiting.ts';

export interface ServerSession {
  readonly sdk: Sdk;
  /** Results of reads may come as links to files; false from the first file on that could not be reached. */
  mayLink: boolean;
  /** Starts a statement. A session that the server has forgotten is opened anew, once. */
  start(statement: StatementToStart, signal: AbortSignal): Promise<StartedStatement>;
  /** Signs in without any further work. */
  signIn(signal: AbortSignal): Promise<void>;
  /** Signs in and sets zone, catalog and schema. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Closes the session. Never throws. */
  close(): Promise<void>;
}

interface Opened {
  readonly link: Link;
  readonly handle: SessionHandle;
}

export function createServerSession(deps: LinkDeps): ServerSession {
  const closing = new AbortController();
  const link = keep(() => openLink(deps));
  const unknown: UnknownSettings = new Set();
  const opened = keep(async () => openSession(await link.get(), unknown, closing.signal));
  const prepared = keep(async () => prepareSession(await opened.get(), deps));
  const start = async (statement: StatementToStart, signal: AbortSignal) => {
    const { link: of, handle } = await unlessAborted(prepared.get(), signal);
    return await unlessAborted(startTagged({ link: of, handle, unknown }, statement), signal, abandon);
  };
  return {
    sdk: deps.sdk,
    mayLink: mayReachStorage(deps.environment.network.allowedHosts),
    async start(statement, signal) {
      try {
        return await start(statement, signal);
      } catch (failure) {
        if (!isForgotten(failure)) throw failure;
        opened.drop();
        prepared.drop();
        return await start(statement, signal);
      }
    },
    signIn: async (signal) => void (await unlessAborted(opened.get(), signal)),
    prepare: async (signal) => void (await unlessAborted(prepared.get(), signal)),
    async close() {
      closing.abort();
      const session = opened.known();
      if (session !== undefined) await bounded(session.then(closeSession));
      const line = link.known();
      if (line !== undefined) await bounded(line.then((of) => of.close()));
    },
  };
}

/** Longest wait for a SQL warehouse that is starting, which answers 503 with Retry-After. */
const STARTING_MS = 300_000;
const MOST_PAUSE_S = 15;

async function openSession(link: Link, unknown: UnknownSettings, closing: AbortSignal): Promise<Opened> {
  const until = systemClock.nowMs() + Math.min(STARTING_MS, link.timeoutMs);
  for (;;) {
    try {
      return { link, handle: await signIn(link, unknown) };
    } catch (failure) {
      const seconds = retryAfterSecondsOf(failure, 503);
      if (seconds === undefined || systemClock.nowMs() + seconds * 1000 > until) throw failure;
      await systemClock.sleep(Math.min(seconds, MOST_PAUSE_S) * 1000, closing);
    }
  }
}

/** Signs in. Signs in again without STATEMENT_TIMEOUT, a setting of SQL warehouses, if the server does not know it. */
async function signIn(link: Link, unknown: UnknownSettings): Promise<SessionHandle> {
  const isSent = !unknown.has('STATEMENT_TIMEOUT');
  const question = {
    client_protocol_i64: int64(link.sdk.wire.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V8),
    configuration: isSent ? { STATEMENT_TIMEOUT: String(Math.ceil(link.timeoutMs / 1000)) } : {},
    canUseMultipleCatalogs: true,
  };
  const { sessionHandle } = await link.call('openSession', question).catch(async (failure: unknown) => {
    if (!isSent || !isUnknownSetting(failure)) throw failure;
    unknown.add('STATEMENT_TIMEOUT');
    return { sessionHandle: await signIn(link, unknown) };
  });
  if (sessionHandle == null) throw new RefusedCall('ERROR', 'The server opened no session and gave no reason.');
  return sessionHandle;
}

async function prepareSession(opened: Opened, { config }: LinkDeps): Promise<Opened> {
  for (const text of openingSql(config)) {
    const statement = await startStatement(opened.link, opened.handle, { text, parameters: [] });
    try {
      await statement.finish();
    } finally {
      await bounded(statement.close());
    }
  }
  return opened;
}

async function closeSession({ link, handle }: Opened): Promise<void> {
  await link.call('closeSession', { sessionHandle: handle });
}

function abandon(statement: StartedStatement): void {
  void bounded(statement.cancel()).then(() => bounded(statement.close()));
}

function isForgotten(failure: unknown): boolean {
  return failure instanceof RefusedCall && failure.state === 'INVALID_HANDLE';
}
