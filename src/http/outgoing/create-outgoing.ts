import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import {
  AppError,
  asAppError,
  createHostList,
  createProxyRules,
  type Proxies,
  systemClock,
} from '../../kernel/index.ts';
import type { Outgoing, OutgoingAnswer, OutgoingRequest } from './contract.ts';
import { locateUrl, type Resolve, systemResolve } from './locate-url.ts';
import { type Sending, sendRequest } from './send-request.ts';

const TIMEOUT_MS = 15_000;
/** Short, because a caller of the API waits for the check. */
const CHECK_MS = 5_000;
const MOST_REDIRECTS = 3;
/** Redirects that keep method and body. A 303 asks for another request, which nothing here has. */
const REDIRECTS: readonly number[] = [301, 302, 307, 308];

export interface OutgoingOptions {
  /** Hosts that may be called although they are not public: names, `*.` and a domain, addresses, networks. */
  readonly allowedHosts: readonly string[];
  /** PEM certificates that are trusted besides the system's. */
  readonly ca?: string | undefined;
  /** Proxies on the way. Absent: all calls are direct. */
  readonly proxies?: Proxies;
  readonly resolve?: Resolve;
}

/** Creates the guarded way to call URLs that customers gave. */
export function createOutgoing({
  allowedHosts,
  ca,
  proxies = { except: [] },
  resolve = systemResolve,
}: OutgoingOptions): Outgoing {
  const allowed = createHostList(allowedHosts);
  const trust = ca === undefined ? undefined : trusting(ca);
  const proxyOf = createProxyRules(proxies);
  const locate = (url: string) => locateUrl(url, { allowed, resolve, proxyOf });
  return {
    async whyRefused(url) {
      try {
        await within(CHECK_MS, undefined, () => locate(url));
        return undefined;
      } catch (error) {
        const { code, message } = asAppError(error);
        // a name server that is down must not block a request; the host is checked again before each call
        if (code === 'CALL_FAILED') return undefined;
        if (code === 'CALL_REFUSED') return message;
        throw error;
      }
    },
    call: (request) =>
      within(request.timeoutMs ?? TIMEOUT_MS, request.signal, async (signal) => {
        let next: Hop = { url: request.url, headers: { ...request.headers, ...request.credentials } };
        for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
          const place = await locate(next.url);
          const answer = await sendRequest(place, sendingOf(request, next, { secureContext: trust?.(), signal }));
          const target = redirectTarget(answer, place.url);
          if (target === undefined) return answer;
          next = { url: target.href, headers: headersFor(target, place.url, { request, kept: next.headers }) };
        }
        throw new AppError('CALL_REFUSED', `The URL redirects more than ${MOST_REDIRECTS} times.`);
      }),
  };
}

/**
 * Returns a function that creates the context at the first call and keeps it: reading the system's authorities anew took most
 * of a call's CPU.
 */
function trusting(ca: string): () => SecureContext {
  let made: SecureContext | undefined;
  return () => {
    made ??= createSecureContext({ ca: [...getCACertificates('default'), ca] });
    return made;
  };
}

interface Hop {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function sendingOf(
  { method, body }: OutgoingRequest,
  { headers }: Hop,
  rest: Pick<Sending, 'secureContext' | 'signal'>,
): Sending {
  return { method, headers, ...(body && { body }), ...rest };
}

function redirectTarget({ status, headers }: OutgoingAnswer, from: URL): URL | undefined {
  if (!REDIRECTS.includes(status) || headers.location === undefined) return undefined;
  const target = URL.parse(headers.location, from);
  if (target === null) throw new AppError('CALL_REFUSED', 'The URL redirects to an invalid URL.');
  return target;
}

/**
 * Returns the headers for a hop. Once a redirect has left the host or port, credentials are dropped for good, even for a
 * redirect back.
 */
function headersFor(
  target: URL,
  from: URL,
  { request, kept }: { readonly request: OutgoingRequest; readonly kept: Hop['headers'] },
): Hop['headers'] {
  return target.origin === from.origin ? kept : (request.headers ?? {});
}

/**
 * Returns the result of `work`. The signal of `work` aborts with the caller's, or after `limitMs`, which throws CALL_FAILED.
 * The limit is in real time, whatever the daemon's clock: it bounds a socket, and nothing of it is stored.
 */
async function within<Result>(
  limitMs: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const limit = new AbortController();
  const signal = outer === undefined ? limit.signal : AbortSignal.any([limit.signal, outer]);
  const late = async (): Promise<never> => {
    const ended = outer === undefined ? over.signal : AbortSignal.any([over.signal, outer]);
    await systemClock.sleep(limitMs, ended).catch((cause: unknown) => {
      throw new AppError('CANCELLED', 'The call was cancelled.', { cause });
    });
    const error = new AppError('CALL_FAILED', `There was no complete answer within ${limitMs / 1000} s.`);
    limit.abort(error);
    throw error;
  };
  try {
    return await Promise.race([work(signal), late()]);
  } finally {
    over.abort();
  }
}
