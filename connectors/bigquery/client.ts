// Calls of the REST API through the SDK, which signs in, writes requests and reads answers. Its other features are off: it
// retries by itself and then has no time limit, and it writes the project's id into every text that holds `{{projectId}}`.
import type { BigQuery } from '@google-cloud/bigquery';
import type { AuthClient } from 'google-auth-library';
import { AppError, systemClock } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { type Agents, createAgents } from '../_shared/agents.ts';
import { onAgents } from './agents.ts';
import type { BigQueryConfig } from './config.ts';
import type { Sdk } from './sdk.ts';
import { signIn } from './sign-in.ts';

export interface ClientDeps {
  readonly sdk: Sdk;
  readonly config: BigQueryConfig;
  readonly environment: ConnectorEnvironment;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the project: `/jobs`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
}

export interface Client extends ClientDeps {
  readonly tokens: AuthClient;
  /**
   * Returns the answer's body. Throws the SDK's errors and the reason of `signal`; an aborted call may still complete on the
   * server.
   */
  call<Body>(call: Call, signal: AbortSignal): Promise<Body>;
  /** Closes all sockets. */
  close(): void;
}

/** Longest wait for an answer: ten seconds where the server waits for a job, and some more for a page of rows. */
export const ANSWER_MS = 120_000;

/** Creates the client with the identity of the connection. Throws the errors of `signIn`. */
export async function createClient(deps: ClientDeps): Promise<Client> {
  const { sdk, config, environment } = deps;
  const endpoint = environment.endpoints.bigquery;
  const agents = createAgents(environment.network);
  const tokens = await signIn(sdk, { ...deps, agents });
  const bigquery = new sdk.google.BigQuery({
    projectId: config.project_id,
    // the SDK has a version of the library of its own; what it calls is the same
    authClient: tokens as never,
    retryOptions: { autoRetry: false },
    ...(endpoint === undefined ? {} : { apiEndpoint: endpoint.apiEndpoint }),
  });
  const limitMs = Math.min(ANSWER_MS, Math.round(environment.statementTimeoutMs * 1.1 + 1000));
  return {
    ...deps,
    tokens,
    call: (call, signal) => answerOf({ call, bigquery, agents, signal, limitMs }),
    close: () => agents.close(),
  };
}

interface Calling {
  readonly call: Call;
  readonly bigquery: BigQuery;
  readonly agents: Agents;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

async function answerOf<Body>({ call, bigquery, agents, signal, limitMs }: Calling): Promise<Body> {
  const { method, path: uri, query, body } = call;
  signal.throwIfAborted();
  const answer = new Promise<Body>((resolve, reject) => {
    onAgents(agents, () =>
      bigquery.request(
        { method, uri, qs: query ?? {}, ...(body === undefined ? {} : { json: body }) },
        (failure, found) => (failure === null ? resolve(found) : reject(failure)),
      ),
    );
  });
  return await within(answer, { signal, limitMs });
}

/** Returns the result of the work. Throws once the signal aborts or the time is over. */
export async function within<Result>(
  work: Promise<Result>,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
): Promise<Result> {
  const settled = new AbortController();
  const stop = AbortSignal.any([signal, settled.signal]);
  const overdue = systemClock.sleep(limitMs, stop).then(
    () => Promise.reject(silent(limitMs)),
    () => (settled.signal.aborted ? new Promise<never>(() => undefined) : Promise.reject(signal.reason)),
  );
  try {
    return await Promise.race([work, overdue]);
  } finally {
    settled.abort();
  }
}

function silent(limitMs: number): AppError {
  return new AppError('WAREHOUSE_TIMEOUT', `BigQuery did not answer within ${Math.round(limitMs / 1000)} s.`);
}

/** A text that is sent unchanged: the SDK looks into strings and plain objects only. */
export class Verbatim {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toJSON(): string {
    return this.#text;
  }
}
