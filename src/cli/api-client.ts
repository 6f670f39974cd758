import { AppError, type Json, parseJson, stringifyJson } from '../kernel/index.ts';

interface ApiCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Aborts the request under way. */
  readonly signal: AbortSignal;
}

/** A client of the platform API that works like any program outside: one token, then JSON in both directions. */
export interface ApiClient {
  get(path: string): Promise<Record<string, Json>>;
  post(path: string, body: unknown): Promise<Record<string, Json>>;
  put(path: string, body: unknown): Promise<Record<string, Json>>;
}

/** Signs in at `baseUrl`. The client's paths are below `{baseUrl}/platform/v2/workspaces/{workspace}`. */
export async function signIn(baseUrl: string, workspace: string, credentials: ApiCredentials): Promise<ApiClient> {
  const { signal } = credentials;
  const token = await call(`${baseUrl}/oauth/token`, 'POST', {
    signal,
    body: {
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      audience: baseUrl,
      grant_type: 'client_credentials',
    },
  });
  const authorization = `Bearer ${String(token.access_token)}`;
  const root = `${baseUrl}/platform/v2/workspaces/${workspace}`;
  return {
    get: (path) => call(root + path, 'GET', { signal, authorization }),
    post: (path, body) => call(root + path, 'POST', { signal, authorization, body }),
    put: (path, body) => call(root + path, 'PUT', { signal, authorization, body }),
  };
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly authorization?: string;
  readonly body?: unknown;
}

async function call(
  url: string,
  method: string,
  { signal, authorization, body }: CallOptions,
): Promise<Record<string, Json>> {
  const response = await fetch(url, {
    method,
    signal,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: stringifyJson(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new AppError('INTERNAL', `${method} ${url} answered ${response.status}: ${text}`);
  return text === '' ? {} : (parseJson(text) as Record<string, Json>);
}
