// The SDK's requests, all of which pass through one HTTP client. It controls their hosts, their retries and their end. The SDK
// alone follows every address in an answer, retries for minutes, and offers no way to abort a request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isIP } from 'node:net';
import { AppError, errorCode, systemClock, template } from '../../../src/kernel/index.ts';
import type { NetworkRules } from '../../../src/warehouse/index.ts';
import type { Agents } from '../../_shared/agents.ts';
import { resolveHost, type Target } from '../../_shared/resolve-host.ts';
import { noAnswerWithin } from '../../_shared/timeout-error.ts';
import { targetOf, tokenTargetOf } from '../address.ts';
import type { HttpClient, HttpFailure, HttpRequest, LookUp } from '../sdk.ts';

/** Owner of requests. */
export interface Line {
  readonly network: NetworkRules;
  /** Agents for hosts behind a proxy. */
  readonly agents: Pick<Agents, 'http' | 'https'>;
  /** Longest message of a server. */
  readonly messageBytes: number;
  /** Token endpoint of an identity provider, where sign-in needs one. */
  readonly tokenUrl?: string | undefined;
  /** Longest time until its answer is whole. */
  readonly tokenMs: number;
  /** Aborts everything under way. */
  readonly signal: AbortSignal;
}

interface OpenLine extends Line {
  /** Number of failures of each part of a result, by its address. */
  readonly failures: Map<string, number>;
}

const lines = new AsyncLocalStorage<OpenLine>();

/** Returns a runner of work: every request that follows from the work, then or later, belongs to this line. */
export function onLine(line: Line): <Result>(work: () => Result) => Result {
  const open = { ...line, failures: new Map<string, number>() };
  return (work) => lines.run(open, work);
}

/**
 * Retries of a statement, which keep the same request id, so that the server runs it once.
 * They take some seconds; the engine has patience.
 */
const STATEMENT_RETRIES = { maxRetries: 2, sleepBase: 1, sleepCap: 4 };
/** Failures of a part that end the stream. The SDK would try ten times, with up to 16 s between. */
const MOST_PART_FAILURES = 3;
/** Code of an error that the SDK takes for final and does not retry. */
const ENDED = 'ERR_CANCELED';
const FORBIDDEN = 403;
/** Length of an answer in the longest messages of servers whose protocol has a message for each row: a part has many rows. */
const MOST_MESSAGES = 4;
/** Bytes of an identity provider's answer, whose server a connection names. */
const MOST_TOKEN_BYTES = 256 * 1024;

/** Guards the client, once for each process. */
export function guardTransport(http: HttpClient): void {
  http.interceptors.request.use(prepare);
  http.interceptors.response.use(undefined, (failure) => Promise.reject(settle(failure)));
}

async function prepare(request: HttpRequest): Promise<HttpRequest> {
  const line = lines.getStore();
  if (line === undefined) throw new Error('The Snowflake SDK sent a request without a connection.');
  const url = new URL(request.url ?? '');
  const isToken = url.href === line.tokenUrl;
  const target = isToken ? tokenTargetOf(url) : targetOf(url);
  const addresses = await lookUp(target, line.network);
  if (line.network.proxyOf?.(target) === undefined) request.lookup = (_, __, done) => done(null, addresses);
  else Object.assign(request, { httpAgent: line.agents.http, httpsAgent: line.agents.https });
  // a redirect could bypass the lookup, and Snowflake has none
  request.maxRedirects = 0;
  request.maxContentLength = isToken ? MOST_TOKEN_BYTES : MOST_MESSAGES * line.messageBytes;
  request.snowflakeRetryConfig = STATEMENT_RETRIES;
  const ends = [line.signal, ...(request.signal === undefined ? [] : [request.signal])];
  request.signal = AbortSignal.any(isToken ? [...ends, afterTime(line)] : ends);
  return request;
}

/** Returns a signal that aborts after the time for a token. The HTTP client alone bounds only the pauses of an answer. */
function afterTime({ tokenMs, signal }: Line): AbortSignal {
  const late = new AbortController();
  void systemClock.sleep(tokenMs, signal).then(
    () => late.abort(noAnswerWithin(tokenMs)),
    () => undefined,
  );
  return late.signal;
}

/**
 * Looks up every host, also those of the cloud storage with large results, so that the connection goes to the checked address.
 */
async function lookUp(target: Target, network: NetworkRules): Promise<readonly LookUp[]> {
  const addresses = await resolveHost(target, network).catch((cause: unknown) => {
    // marked as final: a retry would change nothing
    throw Object.assign(new Error(`${target.host} was not asked`, { cause }), { code: ENDED });
  });
  return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

function settle(failure: HttpFailure): HttpFailure {
  const line = lines.getStore();
  return line === undefined ? failure : (endOfAnswer(line, failure) ?? endOfPart(line, failure));
}

/** Returns our own error for an answer that is too long or takes too long. */
function endOfAnswer(line: OpenLine, failure: HttpFailure): HttpFailure | undefined {
  const { url, signal } = failure.config ?? {};
  if (errorCode(signal?.reason) === 'ETIMEDOUT') return lateToken(line, failure);
  if (!isTooLong(failure)) return undefined;
  const isToken = url !== undefined && URL.parse(url)?.href === line.tokenUrl;
  return isToken ? noToken(failure) : tooLong(line, failure);
}

/**
 * Ends the stream of a part that fails repeatedly. A 403 means that the part's link has expired, and the SDK gets a new one.
 */
function endOfPart({ failures }: OpenLine, failure: HttpFailure): HttpFailure {
  const { method, url, useSnowflakeRetryMiddleware } = failure.config ?? {};
  const isPart = method?.toUpperCase() === 'GET' && !useSnowflakeRetryMiddleware && url !== undefined;
  if (!isPart || failure.response?.status === FORBIDDEN) return failure;
  const failed = (failures.get(url) ?? 0) + 1;
  failures.set(url, failed);
  if (failed < MOST_PART_FAILURES) return failure;
  return Object.assign(new Error(failure.message, { cause: failure }), { code: ENDED });
}

function isTooLong({ message }: HttpFailure): boolean {
  return message.startsWith('maxContentLength size of ');
}

function noToken(failure: HttpFailure): HttpFailure {
  const limit = `${MOST_TOKEN_BYTES / 1024} KiB`;
  const message = template(`{config.oauth_token_url} answered with more than ${limit}, which is no token. Check it.`);
  const cause = new AppError('WAREHOUSE_CONFIG', message, { cause: failure });
  return Object.assign(new Error('The answer is too long', { cause }), { code: ENDED });
}

function lateToken({ tokenMs }: Line, failure: HttpFailure): HttpFailure {
  const message = template(`{config.oauth_token_url} gave no whole answer within ${tokenMs / 1000} s. Check it.`);
  const cause = new AppError('WAREHOUSE_UNREACHABLE', message, { cause: failure });
  return Object.assign(new Error('The answer took too long', { cause }), { code: ENDED });
}

/** Returns an error that ends the stream with our own words: a retry would fetch the same bytes. */
function tooLong({ messageBytes }: OpenLine, failure: HttpFailure): HttpFailure {
  const limit = Math.round((MOST_MESSAGES * messageBytes) / (1 << 20));
  const cause = new AppError(
    'WAREHOUSE_DATA',
    `The warehouse sent an answer of more than ${limit} MiB. Select fewer or shorter columns. In accounts without behavior ` +
      "change bundle 2026_04, SELECT SYSTEM$ENABLE_BEHAVIOR_CHANGE_BUNDLE('2026_04') makes parts of results smaller. The " +
      'operator raises the limit by PENSTOCK_WAREHOUSE_MESSAGE_MB, four of which an answer may have.',
    { cause: failure },
  );
  return Object.assign(new Error('The answer is too long', { cause }), { code: ENDED });
}
