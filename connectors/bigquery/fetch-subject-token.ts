// The token of another cloud, fetched from the address that a connection names. The address is checked as that of any
// warehouse, and the call goes to the checked addresses without following redirects.
import type { IncomingMessage } from 'node:http';
import { type Agent, get } from 'node:https';
import { AppError, type ErrorCode, systemClock, template } from '../../src/kernel/index.ts';
import type { NetworkRules } from '../../src/warehouse/index.ts';
import { createAgents } from '../_shared/agents.ts';
import type { Target } from '../_shared/resolve-host.ts';
import type { TokenSource } from './external-account.ts';
import { parseObject } from './parse-object.ts';

const HTTPS = 443;
const MOST_BYTES = 64 * 1024;
const PATIENCE_MS = 10_000;

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
  const { status, text } = await answerOf(source, agents.https).finally(() => agents.close());
  if (status !== 200) throw refused(`answered with the status ${status}`, codeOf(status));
  const token = source.field === undefined ? text.trim() : parseObject(text)?.[source.field];
  if (typeof token !== 'string' || token === '') throw refused('returned no token');
  return token;
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

function answerOf({ url, headers }: TokenSource, agent: Agent): Promise<Answer> {
  const settled = new AbortController();
  const answered = new Promise<Answer>((resolve, reject) => {
    const request = get(url, { headers, agent });
    request.on('error', reject);
    // an answer that changes the protocol closes the connection without an error
    request.once('close', () => reject(refused('closed the connection', 'WAREHOUSE_UNREACHABLE')));
    request.once('response', (response) => resolve(readAnswer(response)));
    void systemClock.sleep(PATIENCE_MS, settled.signal).then(
      () => request.destroy(refused(`did not answer within ${PATIENCE_MS / 1000} s`, 'WAREHOUSE_UNREACHABLE')),
      () => undefined,
    );
  });
  return answered.finally(() => settled.abort());
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > MOST_BYTES) throw refused(`returned more than ${MOST_BYTES / 1024} KiB`);
    parts.push(part);
  }
  return { status: response.statusCode, text: Buffer.concat(parts).toString('utf8') };
}

/** Returns the code of an answer without a token: an overloaded server is asked again. */
function codeOf(status = 0): ErrorCode {
  if (status === 429) return 'WAREHOUSE_THROTTLED';
  return status === 408 || status >= 500 ? 'WAREHOUSE_UNREACHABLE' : 'WAREHOUSE_CREDENTIALS';
}

function refused(what: string, code: ErrorCode = 'WAREHOUSE_CREDENTIALS'): AppError {
  return new AppError(code, template(`The url in {config.workload_identity} ${what}. Check the address.`));
}
