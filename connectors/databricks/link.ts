// One client of the SDK, without telemetry and without its own retries. Every host is checked, and every wait for an answer is
// bounded.
import { systemClock } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { fieldOf } from '../_shared/field-of.ts';
import { resolveHost } from '../_shared/resolve-host.ts';
import { noAnswerWithin } from '../_shared/timeout-error.ts';
import { type DatabricksConfig, doorOf, HTTPS_PORT } from './config.ts';
import { guardAgent, targetOf } from './guard-agent.ts';
import { createRequester, type Requester } from './guarded-request.ts';
import type { Driver, Sdk, WireStatus } from './sdk.ts';
import { signInOptions } from './sign-in.ts';

export interface LinkDeps {
  readonly sdk: Sdk;
  readonly config: DatabricksConfig;
  readonly environment: ConnectorEnvironment;
}

export interface Link {
  readonly sdk: Sdk;
  readonly timeoutMs: number;
  /** Longest wait for an answer. */
  readonly limitMs: number;
  /** Requests beside the SDK's. */
  readonly requester: Requester;
  /** Calls the service. Throws the SDK's errors, and `RefusedCall` for an answer that is a refusal. */
  call<Name extends keyof Driver>(
    name: Name,
    question: Parameters<Driver[Name]>[0],
  ): Promise<Awaited<ReturnType<Driver[Name]>>>;
  /** Closes all sockets. Never throws. */
  close(): Promise<void>;
}

/** A refusal by the server, with its SQLSTATE where there is one. */
export class RefusedCall extends Error {
  readonly sqlState: string | undefined;
  /**
   * State of the refusal. INVALID_HANDLE: the session or statement is unknown. TIMEDOUT, CANCELED, CLOSED: the end of a
   * statement.
   */
  readonly state: 'ERROR' | 'INVALID_HANDLE' | 'TIMEDOUT' | 'CANCELED' | 'CLOSED';

  constructor(state: RefusedCall['state'], message: string, sqlState?: string) {
    super(message);
    this.name = 'RefusedCall';
    this.state = state;
    this.sqlState = sqlState;
  }
}

/**
 * Tells whether the warehouse refused a setting that it does not know. It fails the call then instead of ignoring the setting:
 * https://docs.databricks.com/aws/en/error-messages/error-classes#config_not_available
 */
export function isUnknownSetting(failure: unknown): boolean {
  if (!(failure instanceof RefusedCall)) return false;
  return failure.sqlState === '42K0I' || failure.message.includes('[CONFIG_NOT_AVAILABLE');
}

/** Opens a client. The first call connects. Throws WAREHOUSE_CONFIG, and WAREHOUSE_UNREACHABLE for an unknown host. */
export async function openLink({ sdk, config, environment }: LinkDeps): Promise<Link> {
  const door = doorOf(config);
  const { host, path } = door;
  // an error here says more than the failure of a socket
  await resolveHost(targetOf(host, HTTPS_PORT, environment), environment.network);
  // silences the SDK's own logger, which writes to the console
  const client = new sdk.DBSQLClient({ logger: { log: () => undefined } });
  const requester = createRequester(environment);
  const limitMs = Math.round(environment.statementTimeoutMs * 1.1 + 1000);
  await client.connect({
    host,
    path,
    userAgentEntry: 'penstock',
    telemetryEnabled: false,
    socketTimeout: limitMs,
    ...signInOptions(door, requester),
  });
  const provider = await client.getConnectionProvider();
  // a close would retry for up to 30 s and then lose its error's code; the caller decides about retries
  provider.getRetryPolicy = async () => ({
    shouldRetry: async () => ({ shouldRetry: false }),
    invokeWithRetry: (attempt) => attempt(),
  });
  await limitAnswers(provider, MOST_MESSAGES * environment.messageBytes);
  const agent = await provider.getAgent();
  if (agent !== undefined) guardAgent(agent, environment);
  const driver = await client.getDriver();
  return {
    sdk,
    timeoutMs: environment.statementTimeoutMs,
    ...{ limitMs, requester },
    async call(name, question) {
      const ask = driver[name] as unknown as (asked: typeof question) => Promise<{ readonly status: WireStatus }>;
      const answer = await withinTime(ask.call(driver, question), limitMs);
      requireSuccess(answer.status, sdk);
      return answer as never;
    },
    async close() {
      await client.close().catch(() => undefined);
      agent?.destroy();
      requester.close();
    },
  };
}

/** Length of an answer in the longest messages of servers whose protocol has a message for each row. */
const MOST_MESSAGES = 4;

/** Bounds the answers, which the SDK else buffers whatever their length. Compressed ones count as they are unpacked. */
async function limitAnswers(provider: { getThriftConnection(): Promise<unknown> }, bytes: number): Promise<void> {
  const config = fieldOf(await provider.getThriftConnection(), 'config');
  // the options of each `fetch`, in a field of the SDK's own that its types leave out
  if (typeof config !== 'object' || config === null) throw new TypeError('The Databricks SDK has no options of fetch.');
  Object.assign(config, { size: bytes });
}

/**
 * Returns the result of `work`, or throws after `limitMs`: the SDK waits for ever for an answer that breaks off in the middle.
 */
async function withinTime<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
  const answered = new AbortController();
  const overdue = systemClock.sleep(limitMs, answered.signal).then(
    () => {
      throw noAnswerWithin(limitMs);
    },
    () => work,
  );
  try {
    return await Promise.race([work, overdue]);
  } finally {
    answered.abort();
  }
}

function requireSuccess(status: WireStatus, { wire }: Sdk): void {
  const { ERROR_STATUS, INVALID_HANDLE_STATUS } = wire.TStatusCode;
  if (status.statusCode !== ERROR_STATUS && status.statusCode !== INVALID_HANDLE_STATUS) return;
  const message =
    status.displayMessage ?? status.errorMessage ?? status.infoMessages?.[0] ?? 'The warehouse gave no reason.';
  const isUnknown = status.statusCode === INVALID_HANDLE_STATUS || /Invalid (Session|Operation)Handle/i.test(message);
  throw new RefusedCall(isUnknown ? 'INVALID_HANDLE' : 'ERROR', message, status.sqlState ?? undefined);
}
