// One session of Snowflake: signed in, pinned to UTC and to our own settings, closed after a failure.
import { systemClock } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { createAgents } from '../../_shared/agents.ts';
import { cancellable } from '../../_shared/cancellable.ts';
import { noAnswerWithin } from '../../_shared/timeout-error.ts';
import type { SnowflakeConfig } from '../config.ts';
import type { Connection, RowStatement, Sdk } from '../sdk.ts';
import { queryTag, settingsSql } from '../statements.ts';
import type { BoundSql } from './bind.ts';
import { optionsOf, signIn } from './sign-in.ts';
import { onLine } from './transport.ts';

export interface LinkDeps {
  readonly sdk: Sdk;
  readonly config: SnowflakeConfig;
  readonly environment: ConnectorEnvironment;
}

export interface RunOptions {
  readonly signal: AbortSignal;
  /** Asks only for the columns; nothing runs. */
  readonly describeOnly?: boolean;
  /** Tag in the query history. */
  readonly tag?: string | undefined;
}

/** Resources of the session, as the server reports them; undefined where there is none. */
export interface Usage {
  readonly role?: string | undefined;
  readonly warehouse?: string | undefined;
  readonly database?: string | undefined;
}

export interface Link {
  /** The session is usable. After a failure or a cancel it is closed and not used again. */
  isSound: boolean;
  usage: Usage;
  /** Runs work with the SDK that may make requests. */
  readonly onLine: <Result>(work: () => Result) => Result;
  /** Runs a statement until its result can be fetched. An abort cancels it on the server and waits a bounded time. */
  run(sql: BoundSql, options: RunOptions): Promise<RowStatement>;
  /** Asks the server to cancel the running statement. */
  cancel(): Promise<void>;
  /** Closes the session. Never throws. */
  close(): Promise<void>;
}

const CLOSE_MS = 2000;
/** Longest time for a token of an identity provider. */
const TOKEN_MS = 30_000;

/** Signs in and pins the session. Throws the SDK's errors, and AppError. */
export async function openLink({ sdk, config, environment }: LinkDeps, signal: AbortSignal): Promise<Link> {
  const options = optionsOf(config, environment);
  const ended = new AbortController();
  const { oauth_token_url: tokenUrl } = config;
  const { network, messageBytes } = environment;
  const agents = createAgents(network);
  const token = tokenUrl && new URL(tokenUrl).href;
  const tokenMs = Math.min(TOKEN_MS, environment.statementTimeoutMs);
  const line = { network, agents, messageBytes, tokenUrl: token, tokenMs, signal: ended.signal };
  const work = onLine(line);
  const link = linkOf({
    connection: work(() => sdk.createConnection(options)),
    onLine: work,
    signIn: (connection) => signIn(connection, config, ended.signal),
    end: () => {
      ended.abort();
      agents.close();
    },
    timeoutMs: environment.statementTimeoutMs,
  });
  const done = new AbortController();
  try {
    // an abort ends the request, and with it everything that waits for it
    signal.addEventListener('abort', () => ended.abort(), { once: true, signal: done.signal });
    if (signal.aborted) ended.abort();
    await link.pin(signal);
    return link;
  } catch (failure) {
    await link.close();
    throw failure;
  } finally {
    done.abort();
  }
}

interface Parts extends Pick<Link, 'onLine'> {
  readonly connection: Connection;
  readonly signIn: (connection: Connection) => Promise<void>;
  readonly end: () => void;
  readonly timeoutMs: number;
}

function linkOf({
  connection,
  onLine,
  signIn,
  end,
  timeoutMs,
}: Parts): Link & { pin(signal: AbortSignal): Promise<void> } {
  const running = new Set<RowStatement>();
  const execute = async (sql: BoundSql, options: RunOptions) => {
    const { statement, done } = begin(connection, sql, options);
    if (statement !== undefined) running.add(statement);
    return await done.finally(() => statement !== undefined && running.delete(statement));
  };
  const usage: Usage = {};
  const link = {
    isSound: true,
    usage,
    onLine,
    run: (sql: BoundSql, options: RunOptions) =>
      cancellable(link, options.signal, () =>
        inTime(timeoutMs, () => onLine(() => execute(sql, options)), link.cancel),
      ),
    cancel: async () => {
      await onLine(() => Promise.all([...running].map(cancel)));
    },
    async pin(signal: AbortSignal) {
      await onLine(() => signIn(connection));
      link.usage = usageOf(await link.run({ text: settingsSql(timeoutMs), values: [] }, { signal }));
    },
    async close() {
      link.isSound = false;
      const closed = new AbortController();
      const patience = systemClock.sleep(CLOSE_MS, closed.signal).catch(() => undefined);
      await Promise.race([onLine(() => destroy(connection)), patience]);
      closed.abort();
      end();
    },
  };
  return link;
}

interface Begun {
  /** Statement; absent where the SDK refused it at once. */
  readonly statement?: RowStatement;
  readonly done: Promise<RowStatement>;
}

/** Begins a statement. `complete` is called once, with an error, or with a statement that may have neither columns nor rows. */
function begin(connection: Connection, { text, values }: BoundSql, { describeOnly = false, tag }: RunOptions): Begun {
  const { promise: done, resolve, reject } = Promise.withResolvers<RowStatement>();
  try {
    const statement = connection.execute({
      sqlText: text,
      describeOnly,
      streamResult: true,
      ...(values.length === 0 ? {} : { binds: values }),
      ...(tag === undefined ? {} : { parameters: { QUERY_TAG: queryTag(tag) } }),
      complete: (failure, completed) => (failure ? reject(failure) : resolve(completed)),
    });
    return { statement, done };
  } catch (refusal) {
    reject(refusal);
    return { done };
  }
}

function cancel(statement: RowStatement): Promise<void> {
  return new Promise((resolve) => {
    statement.cancel(() => resolve());
  });
}

/** Closes a session. Never rejects: a session that cannot be closed ends in another way. */
function destroy(connection: Connection): Promise<void> {
  return new Promise((resolve) => {
    connection.destroy(() => resolve());
  });
}

/**
 * Runs work within the time limit.
 * A server cancels a statement at its timeout; one that does not is gone. It is still asked to cancel, within a bounded time.
 */
async function inTime<Result>(
  timeoutMs: number,
  work: () => Promise<Result>,
  giveUp: () => Promise<void>,
): Promise<Result> {
  const limitMs = Math.round(timeoutMs * 1.1 + 1000);
  const answered = new AbortController();
  const silence = systemClock.sleep(limitMs, answered.signal).then(
    async () => {
      await Promise.race([giveUp(), systemClock.sleep(CLOSE_MS, answered.signal)]);
      throw noAnswerWithin(limitMs);
    },
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work(), silence]);
  } finally {
    answered.abort();
  }
}

interface SessionState {
  getCurrentRole(): string | undefined;
  getCurrentWarehouse(): string | undefined;
  getCurrentDatabase(): string | undefined;
}

function usageOf(statement: RowStatement): Usage {
  const state = statement.getSessionState() as SessionState | undefined;
  return {
    role: state?.getCurrentRole(),
    warehouse: state?.getCurrentWarehouse(),
    database: state?.getCurrentDatabase(),
  };
}
