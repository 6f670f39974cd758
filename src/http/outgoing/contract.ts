// The one guarded way to call a URL that somebody gave us: https only, to an address that was checked and to no other, again
// at every redirect, bounded in time and size. What is behind a firewall is out of reach unless the configuration names it.

export interface Outgoing {
  /** Why such a URL is not taken, as a sentence; undefined: it may be called. A host that is not known now is no reason. */
  whyRefused(url: string): Promise<string | undefined>;
  /**
   * Sends the request, follows redirects that keep method and body, and answers what comes, whatever its status. Throws
   * CALL_REFUSED when the URL, or what it redirects to, may not be called; CALL_FAILED when there was no whole answer in time.
   */
  call(request: OutgoingRequest): Promise<OutgoingAnswer>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that only the host and port of `url` may see: no redirect to another place carries them. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** For everything, redirects included; 15 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning, as UTF-8 text: what is over 64 KiB is not read. */
  readonly body: string;
}
