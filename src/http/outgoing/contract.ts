// The one guarded way to call a URL that a customer gave. Only https is called, and only an address that was checked, again at
// every redirect, bounded in time and size. Hosts behind a firewall are out of reach unless the configuration names them.

export interface Outgoing {
  /**
   * Returns a sentence why such a URL is refused, or undefined where it may be called.
   * An unknown host is no reason for a refusal.
   */
  whyRefused(url: string): Promise<string | undefined>;
  /**
   * Sends the request, follows redirects that keep method and body, and returns the answer whatever its status.
   * Throws CALL_REFUSED where the URL, or a redirect, may not be called, and CALL_FAILED without a whole answer in time.
   */
  call(request: OutgoingRequest): Promise<OutgoingAnswer>;
}

export interface OutgoingRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for the host and port of `url` alone: no redirect to another place carries them. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Limit for the whole call with its redirects; 15 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface OutgoingAnswer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Beginning of the body as UTF-8 text; the part over 64 KiB is not read. */
  readonly body: string;
}
