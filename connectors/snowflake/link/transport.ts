// The SDK's requests, all of which pass one HTTP client: where they may lead, how often they are repeated, and what ends
// them. The SDK itself goes wherever an answer sends it, repeats for minutes, and lets nobody break a request off.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isIP } from 'node:net';
import type { NetworkRules } from '../../../src/warehouse/index.ts';
import { resolveHost } from '../../_shared/resolve-host.ts';
import { targetOf } from '../address.ts';
import type { HttpClient, HttpFailure, HttpRequest, LookUp } from '../sdk.ts';

/** Whose requests they are. */
export interface Line {
  readonly network: NetworkRules;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

interface OpenLine extends Line {
  /** How often a part of a result has failed so far, by its address. */
  readonly failures: Map<string, number>;
}

const lines = new AsyncLocalStorage<OpenLine>();

/** Runs work so that every request that comes of it, then or later, is one of this line. */
export function onLine(line: Line): <Result>(work: () => Result) => Result {
  const open = { ...line, failures: new Map<string, number>() };
  return (work) => lines.run(open, work);
}

/** A statement is sent again with the same request id, which the server runs once. Some seconds: the engine has patience. */
const STATEMENT_RETRIES = { maxRetries: 2, sleepBase: 1, sleepCap: 4 };
/** The SDK would ask ten times, with up to 16 s between. */
const MOST_PART_FAILURES = 3;
/** What the SDK takes for the end, and does not repeat. */
const ENDED = 'ERR_CANCELED';
const FORBIDDEN = 403;

/** Once a process. */
export function guardTransport(http: HttpClient): void {
  http.interceptors.request.use(prepare);
  http.interceptors.response.use(undefined, (failure) => Promise.reject(settle(failure)));
}

async function prepare(request: HttpRequest): Promise<HttpRequest> {
  const line = lines.getStore();
  if (line === undefined) throw new Error('The Snowflake SDK made a request that belongs to no connection.');
  const addresses = await lookUp(new URL(request.url ?? ''), line.network);
  request.lookup = (_, __, done) => done(null, addresses);
  // a redirect could lead past the look-up, and Snowflake has none
  request.maxRedirects = 0;
  request.snowflakeRetryConfig = STATEMENT_RETRIES;
  request.signal = request.signal === undefined ? line.signal : AbortSignal.any([request.signal, line.signal]);
  return request;
}

/** Every host, also those of the cloud storage that large results come from: the address that was checked is the one it goes to. */
async function lookUp(url: URL, network: NetworkRules): Promise<readonly LookUp[]> {
  const target = targetOf(url);
  const addresses = await resolveHost(target, network).catch((cause: unknown) => {
    // as the end: asking again changes nothing
    throw Object.assign(new Error(`${target.host} was not asked`, { cause }), { code: ENDED });
  });
  return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

/** A part of a result that fails again and again ends its stream; a 403 means that its link is over, and the SDK has a new one made. */
function settle(failure: HttpFailure): HttpFailure {
  const line = lines.getStore();
  const { method, url, useSnowflakeRetryMiddleware } = failure.config ?? {};
  const isPart = method?.toUpperCase() === 'GET' && !useSnowflakeRetryMiddleware && url !== undefined;
  if (line === undefined || !isPart || failure.response?.status === FORBIDDEN) return failure;
  const failed = (line.failures.get(url) ?? 0) + 1;
  line.failures.set(url, failed);
  if (failed < MOST_PART_FAILURES) return failure;
  return Object.assign(new Error(failure.message, { cause: failure }), { code: ENDED });
}
