// HTTP: Fastify behind one small interface. An endpoint is one value, from which the route, the validation, the types and the
// OpenAPI operation are made. Nothing of a body is stripped, coerced or defaulted. This room knows no resource and no table.
import type { Static, TObject, TSchema } from 'typebox';
import type { Json, WorkspaceId } from '../kernel/index.ts';

/**
 * Names of the APIs, each with its own error body.
 * A new code or a new API does not compile until the status table has an entry for it.
 */
export type ApiName = 'platform_v1' | 'platform_v2' | 'oauth' | 'dsr' | 'operations' | InputApi;

/** APIs that take in data: batches, identity requests, calls of other vendors' SDKs. */
export type InputApi = 'events' | 'identity' | 'analytics';

/**
 * Credential that an endpoint asks for: none, a platform bearer token whose role allows reading or changing, or the key of an
 * input or a feed. `input_web_events` takes the key alone, from the `key` of the path; `access` describes the other proofs.
 */
export type CredentialRule = 'none' | 'platform_read' | 'platform_admin' | InputRule;

export type InputRule = 'input_events' | 'input_web_events' | 'input_identity' | 'input_analytics' | 'input_dsr';

/** A right that the caller's account needs beyond the role. Without this right the answer is 403 (D-019). */
export type Provision = 'warehouse_sync';

export interface Caller {
  /** Client id or key id, as audit fields show it. */
  readonly actor: string;
  readonly workspaceId: WorkspaceId;
  /** The key that the data come in with; absent for platform callers. */
  readonly input?: InputCaller;
}

export interface InputCaller {
  readonly key: string;
  readonly kind: 'input' | 'feed';
  /** Id of the feed whose key was sent. */
  readonly feedId?: bigint;
  /** Proof that the caller sent. `key_only` proves nothing, because the key is public (D-049). */
  readonly means: 'basic' | 'signature' | 'key_only';
}

export interface CredentialRequest {
  readonly rule: Exclude<CredentialRule, 'none'>;
  /** The right that the endpoint names in `requires`. */
  readonly requires?: Provision | undefined;
  readonly authorization: string | undefined;
  /** The `workspaceId` of the path. */
  readonly workspace: string;
  /** The `key` of the path. */
  readonly key?: string | undefined;
  readonly method: string;
  /** Path and query as in the request line. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Address of the client, as trusted proxies report it. */
  readonly address: string;
  /**
   * Reads and decompresses the body once; the handler gets the same bytes.
   * The limit of size is that of `workspaceId`, or that of the configuration where `workspaceId` is undefined.
   */
  body(workspaceId: WorkspaceId | undefined): Promise<Buffer>;
}

/** Request headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Check of credentials, implemented by `access`.
 * Throws UNAUTHENTICATED, FORBIDDEN, or NOT_FOUND for a workspace that is not the caller's.
 */
export type Authenticate = (request: CredentialRequest) => Promise<Caller>;

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Text that `body` was parsed from; empty where the endpoint takes no body. */
  readonly bodyText: string;
  /** An object in the body has a field twice. Set only where `bodyCheck` is `items`; other endpoints refuse such a body. */
  readonly hasRepeatedField: boolean;
  readonly caller: Caller;
  readonly requestId: string;
  /** Address of the client, as trusted proxies report it. */
  readonly address: string;
  readonly headers: RequestHeaders;
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal;
}

export interface EndpointResponse {
  readonly status: number;
  /** Body of the answer, written by the lossless writer; absent for 204. */
  readonly body?: unknown;
  /**
   * Text that replaces the body, one line or more at a time.
   * Lines are sent as they come and are never requested faster than the client reads.
   */
  readonly lines?: AsyncIterable<string>;
  /** Bytes of a file that replace the body; `headers` give its type and size. */
  readonly file?: AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LinesStream {
  readonly line: TSchema;
  readonly description: string;
}

export interface FileStream {
  readonly mediaType: string;
  readonly description: string;
}

/**
 * Check of a body by its handler, for which the schema only documents the body. The handler also checks for text that the store
 * cannot hold, so that one bad item of many need not refuse the others; `items`: and for fields given twice, where
 * `hasRepeatedField` is set.
 */
export type BodyCheck = 'handler' | 'items';

/** Body as a handler gets it: of its schema, or any JSON where the handler checks it. */
type BodyOf<Body extends TSchema, Check> = [Check] extends [BodyCheck] ? Json : Static<Body>;

export interface EndpointSpec<Params extends TObject, Query extends TObject, Body extends TSchema, Check = undefined> {
  readonly api: ApiName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `:name` for parameters and without a trailing slash; both forms are served. */
  readonly path: string;
  /** Further paths with the same parameters, which differ by the prefixes that clients put in front. */
  readonly aliases?: readonly string[];
  readonly credential: CredentialRule;
  /** Right that `Authenticate` checks; absent where the role is enough. */
  readonly requires?: Provision;
  /** Operation id in OpenAPI; `summary` is one line, and `tag` the group. */
  readonly operationId: string;
  readonly summary: string;
  /** Description in OpenAPI: what the summary leaves out. */
  readonly description?: string;
  readonly tag: string;
  readonly params: Params;
  /**
   * Schema of the query. Known parameters are coerced one by one; unknown ones are refused on the platform API and ignored on
   * the others.
   */
  readonly query: Query;
  /** Schema of the body; absent where the endpoint takes none. A closed object refuses unknown fields with their path. */
  readonly body?: Body;
  /** A request without a body counts as one with `{}`. */
  readonly mayLackBody?: boolean;
  /** Check of the body by the handler; absent where the schema decides. */
  readonly bodyCheck?: Check;
  /** Largest body in bytes, decompressed, for everybody or by workspace; absent where the configuration's limit holds. */
  readonly bodyLimitBytes?: number | ((workspaceId: WorkspaceId) => number | Promise<number>);
  /** Top-level fields of the body that are ignored, such as read-only fields (D-006). */
  readonly ignoredFields?: readonly string[];
  /** Request headers that the handler reads, by name, with their meaning for OpenAPI. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The token endpoint also takes application/x-www-form-urlencoded. */
  readonly formEncoded?: boolean;
  /** JSON may also come as text/plain, which browsers send without a preflight. */
  readonly plainText?: boolean;
  /** The body is JSON whatever its Content-Type: an SDK that compresses may declare a form, or nothing. */
  readonly anyMediaType?: boolean;
  readonly responses: Readonly<Record<number, TSchema>>;
  /** Answer in `lines` or a `file`, as OpenAPI describes it. Such an endpoint answers no HEAD. */
  readonly streams?: LinesStream | FileStream;
  /** Refusals by the endpoint's own rules, status and meaning, beyond those that follow from credential and body. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Limits the rate of a known caller, before anything else of the request is read. Throws RATE_LIMITED. */
  admit?(caller: Caller): Promise<void>;
  /** Returns headers that sign a JSON answer for a known caller; refusals are signed, too. `text` is exactly what is sent. */
  sign?(caller: Caller, text: string): Promise<Readonly<Record<string, string>>>;
  handler(request: EndpointRequest<Static<Params>, Static<Query>, BodyOf<Body, Check>>): Promise<EndpointResponse>;
}

/** An endpoint in the form that lists hold: its type parameters are closed over. */
export type Endpoint = EndpointSpec<TObject, TObject, TSchema, BodyCheck | undefined>;
