// HTTP: Fastify behind one small interface. An endpoint is one value; from it come the route, the validation, the types and
// the OpenAPI operation. Nothing of a body is stripped, coerced or defaulted. This room knows no resource and no table.
import type { Static, TObject, TSchema } from 'typebox';
import type { WorkspaceId } from '../kernel/index.ts';

/** Each API has its own error body. A new code or a new API does not compile until the status table decides for all. */
export type ApiName = 'platform_v1' | 'platform_v2' | 'oauth' | 'dsr' | 'operations' | InputApi;

/** The APIs with which data come in: batches, identity requests, calls of other vendors' SDKs. */
export type InputApi = 'events' | 'identity' | 'analytics';

/**
 * Who may call: nobody is asked, or a platform bearer token whose role allows reading or changing, or the key of an input
 * or a feed. `input_web_events` is the key alone, the `key` of the path; the ways of the others stand at `access`.
 */
export type CredentialRule = 'none' | 'platform_read' | 'platform_admin' | InputRule;

export type InputRule = 'input_events' | 'input_web_events' | 'input_identity' | 'input_analytics' | 'input_dsr';

/** A right that the caller's account needs beyond the role: 403 without it (D-019). */
export type Provision = 'warehouse_sync';

export interface Caller {
  /** Client id or key id: what audit fields show. */
  readonly actor: string;
  readonly workspaceId: WorkspaceId;
  /** Which key the data come in with; absent for platform callers. */
  readonly input?: InputCaller;
}

export interface InputCaller {
  readonly key: string;
  readonly kind: 'input' | 'feed';
  /** Of a feed: its id. */
  readonly feedId?: bigint;
  /** The proof of the caller. `key_only` is none, because the key is public (D-049). */
  readonly means: 'basic' | 'signature' | 'key_only';
}

export interface CredentialRequest {
  readonly rule: Exclude<CredentialRule, 'none'>;
  /** The endpoint's `requires`. */
  readonly requires?: Provision | undefined;
  readonly authorization: string | undefined;
  /** The `workspaceId` of the path. */
  readonly workspace: string;
  /** The `key` of the path. */
  readonly key?: string | undefined;
  readonly method: string;
  /** Path and query as they stand in the request line. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Of the client, as trusted proxies report it. */
  readonly address: string;
  /**
   * The body, decompressed: read now, and not again for the handler. `workspaceId`: whose limit of size holds; without it
   * the limit of the configuration.
   */
  body(workspaceId: WorkspaceId | undefined): Promise<Buffer>;
}

/** Lower-case names. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Implemented by `access`. Throws UNAUTHENTICATED, FORBIDDEN, or NOT_FOUND for a workspace that is not the caller's. */
export type Authenticate = (request: CredentialRequest) => Promise<Caller>;

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** What `body` was parsed from; empty where the endpoint takes none. */
  readonly bodyText: string;
  /** Whether an object in the body has a field twice; only where `bodyCheck` is `items`, the others refuse such a body. */
  readonly hasRepeatedField: boolean;
  readonly caller: Caller;
  readonly requestId: string;
  /** Of the client, as trusted proxies report it. */
  readonly address: string;
  readonly headers: RequestHeaders;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface EndpointResponse {
  readonly status: number;
  /** Written by the lossless writer; absent for 204. */
  readonly body?: unknown;
  /** In place of a body: text, one line or more at a time, that is sent as it comes. Nothing is asked for faster than the client takes it. */
  readonly lines?: AsyncIterable<string>;
  /** The same of bytes: a file; `headers` say of what type and size it is. */
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

export interface EndpointSpec<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly api: ApiName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters, without a trailing slash; both forms are served. */
  readonly path: string;
  /** Further paths with the same parameters: prefixes that clients put in front of it. */
  readonly aliases?: readonly string[];
  readonly credential: CredentialRule;
  /** Handed on to `Authenticate`; absent: nothing beyond the role. */
  readonly requires?: Provision;
  /** OpenAPI: operation id, one line, and the group it is listed under. */
  readonly operationId: string;
  readonly summary: string;
  /** OpenAPI: what one line does not hold. */
  readonly description?: string;
  readonly tag: string;
  readonly params: Params;
  /** Known parameters are coerced one by one; unknown ones are refused on the platform API and ignored on the others. */
  readonly query: Query;
  /** Absent: the endpoint takes no body. A closed object refuses unknown fields with their path. */
  readonly body?: Body;
  /** A request without a body counts as one with `{}`. */
  readonly mayLackBody?: boolean;
  /**
   * `handler`: the schema only documents the body; the handler checks it, for text the store cannot hold too, so that one
   * bad item of many need not refuse the others. `items`: the same, and fields given twice are the handler's too, which
   * looks for them where `hasRepeatedField` says so. Absent: the schema decides.
   */
  readonly bodyCheck?: 'handler' | 'items';
  /** Largest body in bytes, decompressed, of everybody or of a workspace; absent: the limit of the configuration. */
  readonly bodyLimitBytes?: number | ((workspaceId: WorkspaceId) => number | Promise<number>);
  /** Top-level fields of the body that are ignored, such as read-only fields (D-006). */
  readonly ignoredFields?: readonly string[];
  /** OpenAPI: request headers the handler reads, name and meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The token endpoint also takes application/x-www-form-urlencoded. */
  readonly formEncoded?: boolean;
  /** JSON may also come as text/plain: browsers send that without asking first. */
  readonly plainText?: boolean;
  /** The body is JSON whatever its Content-Type: an SDK that compresses may send it as a form, or say nothing. */
  readonly anyMediaType?: boolean;
  readonly responses: Readonly<Record<number, TSchema>>;
  /** OpenAPI: an answer in `lines` or a `file`, and when it is one. Such an endpoint answers no HEAD. */
  readonly streams?: LinesStream | FileStream;
  /** OpenAPI: refusals of its own rules, status and meaning, beyond those that follow from credential and body. */
  readonly refusals?: Readonly<Record<number, string>>;
  /** Asked once the caller is known, before anything else of the request is read; throws RATE_LIMITED. */
  admit?(caller: Caller): Promise<void>;
  /** Headers that vouch for a JSON answer, once the caller is known: for refusals too. `text` is exactly what is sent. */
  sign?(caller: Caller, text: string): Promise<Readonly<Record<string, string>>>;
  handler(request: EndpointRequest<Static<Params>, Static<Query>, Static<Body>>): Promise<EndpointResponse>;
}

/** An endpoint whose types are closed over: what lists of endpoints hold. */
export type Endpoint = EndpointSpec<TObject, TObject, TSchema>;
