import { createHmac, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../kernel/index.ts';
import type { LiveSecret } from './find-input.ts';

/** The parts of a request that its signature covers (D-048). */
export interface SignedRequest {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly url: string;
  /** The Date header as it was sent. */
  readonly date: string;
  /** Body before compression. */
  readonly body: Buffer;
}

/** Prefix that the web SDK's own domain adds to the paths; a signature may include it or not. */
const PREFIX = '/identity';

/** Returns the secrets that made the signature. Each one is tried in full, whatever the outcome of another. */
export function signedBy(
  secrets: readonly LiveSecret[],
  signature: string,
  request: SignedRequest,
): readonly LiveSecret[] {
  const given = Buffer.alloc(64);
  const isWhole = given.write(signature, 'latin1') === signature.length && signature.length === 64;
  return secrets.filter(({ secret }) => {
    let isEqual = false;
    for (const path of signedPaths(request.url)) {
      const made = Buffer.from(signatureOf(secret.reveal(), request, path), 'latin1');
      isEqual = timingSafeEqual(made, given) || isEqual;
    }
    return isEqual && isWhole;
  });
}

function signatureOf(secret: string, { method, date, body }: SignedRequest, path: string): string {
  return createHmac('sha256', secret).update(`${method}\n${date}\n${path}`).update(body).digest('hex');
}

/** Returns the paths that a signature may cover: with and without the query, with and without the prefix. */
function signedPaths(url: string): ReadonlySet<string> {
  const query = url.indexOf('?');
  const forms = query < 0 ? [url] : [url, url.slice(0, query)];
  const bare = forms.filter((form) => form.startsWith(`${PREFIX}/`)).map((form) => form.slice(PREFIX.length));
  return new Set([...forms, ...bare]);
}

// Date.parse reads a time without a zone as the machine's local time
const WITH_ZONE = /(?:GMT|UTC|Z|[+-]\d{2}:?\d{2})$/;

/** ISO 8601 without separators, `20220712T224127Z`, as mobile SDKs write it. */
const BASIC_FORM = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

/** Throws UNAUTHENTICATED for a Date header that is no time, or one too far from now: such a signature may be a replay. */
export function checkSignedDate(date: string, nowMs: number, windowMs: number): void {
  const text = date.replace(BASIC_FORM, '$1-$2-$3T$4:$5:$6Z');
  const atMs = WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN;
  if (Math.abs(atMs - nowMs) <= windowMs) return;
  const problem = Number.isNaN(atMs)
    ? 'is not a valid time; write it like "Tue, 15 Nov 2022 08:12:31 GMT"'
    : `is more than ${windowMs / 1000} s from now, ${new Date(nowMs).toUTCString()}; set the clock and sign the request again`;
  throw new AppError('UNAUTHENTICATED', `The Date header ${problem}.`);
}
