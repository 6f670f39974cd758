// The token of another cloud, fetched from the address that a connection names. The address is checked as that of any
// warehouse, and the call goes to the checked addresses without following redirects.
import { AppError, type ErrorCode, errorCode, template } from '../../src/kernel/index.ts';
import type { NetworkRules } from '../../src/warehouse/index.ts';
import { createAgents } from '../_shared/agents.ts';
import type { Target } from '../_shared/resolve-host.ts';
import { sendRequest } from '../_shared/send-request.ts';
import type { TokenSource } from './external-account.ts';
import { parseObject } from './parse-object.ts';

const HTTPS = 443;
const LIMITS = { mostBytes: 64 * 1024, totalMs: 10_000 };

const MADE_BY = template('the url in {config.workload_identity}');

/** Returns the host of the source as the operator's rules judge it. */
export function sourceTarget({ url }: TokenSource): Target {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: url.port === '' ? HTTPS : Number(url.port), madeBy: MADE_BY, scheme: 'https' };
}

/**
 * Fetches the token. Throws WAREHOUSE_CREDENTIALS for an answer without one, WAREHOUSE_UNREACHABLE and WAREHOUSE_THROTTLED for
 * a server in trouble, and the errors of `resolveHost`.
 */
export async function fetchSubjectToken(source: TokenSource, network: NetworkRules): Promise<string> {
  const agents = createAgents(network, { madeBy: MADE_BY });
  const { url, headers } = source;
  const { status, body, isWhole } = await sendRequest(agents.https, { url, headers, ...LIMITS })
    .catch(nameFailure)
    .finally(() => agents.close());
  if (!isWhole) throw refused(`returned more than ${LIMITS.mostBytes / 1024} KiB`);
  if (status !== 200) throw refused(`answered with the status ${status}`, codeOf(status));
  const text = body.toString('utf8');
  const token = source.field === undefined ? text.trim() : parseObject(text)?.[source.field];
  if (typeof token !== 'string' || token === '') throw refused('returned no token');
  return token;
}

/** Names the address where it gave no answer; other failures of a socket are named by their codes. */
function nameFailure(failure: unknown): never {
  const code = errorCode(failure);
  if (code === 'ETIMEDOUT') throw refused(`did not answer within ${LIMITS.totalMs / 1000} s`, 'WAREHOUSE_UNREACHABLE');
  if (code === 'ECONNRESET') throw refused('closed the connection', 'WAREHOUSE_UNREACHABLE');
  throw failure;
}

/** Returns the code of an answer without a token: an overloaded server is asked again. */
function codeOf(status: number): ErrorCode {
  if (status === 429) return 'WAREHOUSE_THROTTLED';
  return status === 408 || status >= 500 ? 'WAREHOUSE_UNREACHABLE' : 'WAREHOUSE_CREDENTIALS';
}

function refused(what: string, code: ErrorCode = 'WAREHOUSE_CREDENTIALS'): AppError {
  return new AppError(code, template(`The url in {config.workload_identity} ${what}. Check the address.`));
}
