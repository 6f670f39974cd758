// HTTP: Fastify behind one small interface. An endpoint is one value; from it come the route, the validation, the types and
// the OpenAPI operation. Nothing of a body is stripped, coerced or defaulted. This room knows no resource and no table.
import type { Static, TObject, TSchema } from 'typebox';
import type { WorkspaceId } from '../kernel/index.ts';

/** Each API has its own error body. A new code or a new API does not compile until the status table decides for all. */
export type ApiName = 'platform_v2' | 'oauth' | 'operations';

/** Who may call: nobody is asked, or a platform bearer token whose role allows reading or changing. */
export type CredentialRule = 'none' | 'platform_read' | 'platform_admin';

/** What the caller's account must have been given, beyond the role: 403 without it (002, Authentication). */
export type Provision = 'warehouse_sync';

export interface Caller {
  /** Client id or key id: what audit fields show. */
  readonly actor: string;
  readonly workspaceId: WorkspaceId;
}

export interface CredentialRequest {
  readonly rule: Exclude<CredentialRule, 'none'>;
  /** The endpoint's `requires`. */
  readonly requires?: Provision | undefined;
  readonly authorization: string | undefined;
  /** The `workspaceId` of the path. */
  readonly workspace: string;
}

/** Implemented by `access`. Throws UNAUTHENTICATED, FORBIDDEN, or NOT_FOUND for a workspace that is not the caller's. */
export type Authenticate = (request: CredentialRequest) => Promise<Caller>;

export interface EndpointRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly requestId: string;
  /** Of the client, as trusted proxies report it. */
  readonly address: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface EndpointResponse {
  readonly status: number;
  /** Written by the lossless writer; absent for 204. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface EndpointSpec<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly api: ApiName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for parameters, without a trailing slash; both forms are served. */
  readonly path: string;
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
  /** Unknown parameters are ignored; known ones are coerced one by one. */
  readonly query: Query;
  /** Absent: the endpoint takes no body. A closed object refuses unknown fields with their path. */
  readonly body?: Body;
  /** Top-level fields of the body that are ignored, such as 002's read-only fields. */
  readonly ignoredFields?: readonly string[];
  /** OpenAPI: request headers the handler reads, name and meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** The token endpoint also takes application/x-www-form-urlencoded. */
  readonly formEncoded?: boolean;
  readonly responses: Readonly<Record<number, TSchema>>;
  /** OpenAPI: refusals of its own rules, status and meaning, beyond those that follow from credential and body. */
  readonly refusals?: Readonly<Record<number, string>>;
  handler(request: EndpointRequest<Static<Params>, Static<Query>, Static<Body>>): Promise<EndpointResponse>;
}

/** An endpoint whose types are closed over: what lists of endpoints hold. */
export type Endpoint = EndpointSpec<TObject, TObject, TSchema>;
