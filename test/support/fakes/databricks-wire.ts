// A server that speaks as a SQL warehouse does, with answers made beforehand: for what the local server cannot show (sign-in
// with OAuth, refused grants, results in columns, Arrow types of the product), and for measuring the client alone.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TFetchResultsResp, TStatus } from '@databricks/sql/thrift/TCLIService_types.js';
import type { Static } from 'typebox';
import { CERTIFICATE, CERTIFICATE_KEY } from '../apis/localhost-certificate.ts';
import type { HttpAnswer as HttpAnswerSchema } from '../recorded/conversation.ts';
import { decode, encodeReply, readAll, readHead, T } from '../servers/databricks/thrift.ts';
import {
  fileOf,
  metadataOf,
  OK,
  type Operation,
  resultsOf,
  STORAGE_HOST,
  type WireAnswer,
} from './databricks-wire-results.ts';

export type { WireAnswer };

type HttpAnswer = Static<typeof HttpAnswerSchema>;

/** Settings that a call carries. */
export type WireSettings = Readonly<Record<string, string>>;

export interface WireBehaviour {
  answer(sql: string, settings: WireSettings): WireAnswer;
  /** Comes in place of a handle when the statement is sent. */
  atOnce?(sql: string): TStatus | undefined;
  /** Comes in place of rows at a statement's so-manieth question for them, from 0; the rows come with the next one. */
  instead?(sql: string, asked: number): TFetchResultsResp | undefined;
  /** Certificate and key that replace those for localhost. */
  readonly pair?: { readonly cert: string; readonly key: string };
  /** The service principal that may sign in; absent: every token is good. */
  readonly oauth?: WirePrincipal;
  /** Status of the storage's next answer; default 200. */
  storageStatus?(): number;
  /** Returns the bytes that the next file of the storage has too many. Default: none. */
  storageExcess?(): number;
  /** Comes in place of every token. */
  readonly signInAnswer?: HttpAnswer;
  /** Comes in place of every answer of the service. */
  readonly serviceAnswer?: HttpAnswer;
}

export interface WirePrincipal {
  readonly clientId: string;
  readonly clientSecret: string;
  /** A tenant of Microsoft Entra ID; absent: the workspace itself hands out the tokens. */
  readonly tenantId?: string;
  /** Seconds that the tokens live, one after the other; the last of them for all further ones. Default: an hour. */
  readonly lifetimes?: readonly number[];
}

export interface DatabricksWire extends AsyncDisposable {
  readonly port: number;
  /** Method and URL of each request. */
  readonly seen: readonly string[];
  /** Headers of each request to the storage. */
  readonly storageHeaders: readonly IncomingHttpHeaders[];
}

export async function openDatabricksWire(behaviour: WireBehaviour): Promise<DatabricksWire> {
  const seen: string[] = [];
  const storageHeaders: IncomingHttpHeaders[] = [];
  const operations = new Map<string, Operation>();
  /** Tokens handed out; the last alone is good. */
  const tokens: string[] = [];
  const server = createServer(behaviour.pair ?? { cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    seen.push(`${request.method} https://${request.headers.host}${request.url}`);
    if (request.headers.host === STORAGE_HOST) return giveFile(request, response);
    const work = request.headers['content-type'] === 'application/x-thrift' ? serve : signIn;
    work(request, response).catch((error: Error) => response.destroy(error));
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = await readAll(request);
    if (behaviour.oauth !== undefined && request.headers.authorization !== `Bearer ${tokens.at(-1)}`) {
      return void response.writeHead(401).end();
    }
    if (behaviour.serviceAnswer !== undefined) return void writeHttp(response, behaviour.serviceAnswer);
    const head = readHead(bytes);
    const body = encodeReply(head, answerCall(head.name, bytes, { behaviour, operations }));
    response.writeHead(200, { 'content-type': 'application/x-thrift', 'content-length': body.length }).end(body);
  };
  const giveFile = (request: IncomingMessage, response: ServerResponse) => {
    storageHeaders.push(request.headers);
    const status = behaviour.storageStatus?.() ?? 200;
    const file = status === 200 ? fileOf(operations, request) : undefined;
    const excess = Buffer.alloc(behaviour.storageExcess?.() ?? 0);
    const body = file === undefined ? undefined : Buffer.concat([file, excess]);
    response.writeHead(status === 200 && file === undefined ? 400 : status).end(body);
  };
  const signIn = async (request: IncomingMessage, response: ServerResponse) => {
    const asked = new URLSearchParams((await readAll(request)).toString());
    const isToken = request.method === 'POST' && behaviour.signInAnswer !== undefined;
    const made = isToken
      ? behaviour.signInAnswer
      : signInAnswer(request, { asked, principal: behaviour.oauth, tokens });
    writeHttp(response, { headers: { 'content-type': 'application/json' }, ...made });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    storageHeaders,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function writeHttp(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
}

interface Site {
  readonly behaviour: WireBehaviour;
  readonly operations: Map<string, Operation>;
}

function answerCall(name: string, bytes: Buffer, { behaviour, operations }: Site): object {
  const known = () => {
    const handle = decode(bytes, T.TFetchResultsReq)?.operationHandle;
    const operation = operations.get(handle?.operationId.guid.toString('hex') ?? '');
    if (operation === undefined) throw new Error(`${name} of an unknown statement.`);
    return operation;
  };
  switch (name) {
    case 'OpenSession':
      return new T.TOpenSessionResp({
        ...{ status: OK, serverProtocolVersion: T.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V8 },
        sessionHandle: new T.TSessionHandle({ sessionId: newId() }),
      });
    case 'ExecuteStatement': {
      const operationId = newId();
      const { statement: sql = '', confOverlay, canDownloadResult } = decode(bytes, T.TExecuteStatementReq) ?? {};
      const status = behaviour.atOnce?.(sql);
      if (status !== undefined) return new T.TExecuteStatementResp({ status });
      const answer = behaviour.answer(sql, confOverlay ?? {});
      const id = operationId.guid.toString('hex');
      operations.set(id, { id, mayLink: canDownloadResult === true, sql, answer, asked: 0, fetched: 0 });
      const operationHandle = new T.TOperationHandle({
        ...{ operationId, operationType: T.TOperationType.EXECUTE_STATEMENT, hasResultSet: true },
      });
      return new T.TExecuteStatementResp({ status: OK, operationHandle });
    }
    case 'GetOperationStatus':
      return statusOf(known().answer);
    case 'GetResultSetMetadata':
      return metadataOf(known());
    case 'FetchResults': {
      const operation = known();
      const asked = operation.asked++;
      const from = Number(decode(bytes, T.TFetchResultsReq)?.startRowOffset ?? 0);
      return behaviour.instead?.(operation.sql, asked) ?? resultsOf(operation, { asked, from });
    }
    default:
      return new T.TCloseSessionResp({ status: OK });
  }
}

/** The SDK takes nothing but a UUID. */
function newId() {
  const guid = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  return new T.THandleIdentifier({ guid, secret: guid });
}

function statusOf(answer: WireAnswer): object {
  const { FINISHED_STATE, ERROR_STATE } = T.TOperationState;
  if (!('refused' in answer)) return new T.TGetOperationStatusResp({ status: OK, operationState: FINISHED_STATE });
  const { refused: displayMessage, sqlState } = answer;
  const operationState = ERROR_STATE;
  return new T.TGetOperationStatusResp({
    status: OK,
    operationState,
    displayMessage,
    ...(sqlState === undefined ? {} : { sqlState }),
  });
}

interface SignIn {
  readonly asked: URLSearchParams;
  readonly principal: WirePrincipal | undefined;
  readonly tokens: string[];
}

/** Answers as the workspace does, or as Microsoft Entra ID where the principal is its own. */
function signInAnswer({ url, headers }: IncomingMessage, { asked, principal, tokens }: SignIn) {
  const { tenantId } = principal ?? {};
  const endpoint = tenantId === undefined ? '/oidc/v1/token' : `/${tenantId}/oauth2/v2.0/token`;
  if (url === endpoint && mayHaveToken(asked, headers.authorization, principal)) {
    const lifetimes = principal?.lifetimes ?? [3600];
    const expires_in = lifetimes[tokens.length] ?? lifetimes.at(-1) ?? 3600;
    tokens.push(tokenOf(expires_in, tokens.length));
    return { status: 200, body: { access_token: tokens.at(-1), token_type: 'Bearer', expires_in } };
  }
  return { status: 401, body: { error: 'invalid_client', error_description: 'Client authentication failed' } };
}

/** Checks id and secret: the workspace takes them as a header, Microsoft Entra ID in the form. */
function mayHaveToken(asked: URLSearchParams, authorization: string | undefined, principal?: WirePrincipal): boolean {
  const { tenantId, clientId, clientSecret } = principal ?? {};
  if (asked.get('grant_type') !== 'client_credentials') return false;
  if (tenantId === undefined) {
    const wanted = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    return authorization === wanted && asked.get('scope') === 'all-apis';
  }
  const sent = [asked.get('client_id'), asked.get('client_secret'), asked.get('scope')];
  return sent.join() === [clientId, clientSecret, `${DATABRICKS_IN_ENTRA}/.default`].join();
}

/** Databricks as a resource of every tenant: https://learn.microsoft.com/azure/databricks/dev-tools/service-prin-aad-token */
const DATABRICKS_IN_ENTRA = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';

/** Makes a token. The SDK reads the time at which it ends, and nothing else. */
function tokenOf(seconds: number, jti: number): string {
  const claims = { exp: Math.floor(Date.now() / 1000) + seconds, jti };
  return ['e30', Buffer.from(JSON.stringify(claims)).toString('base64url'), 'x'].join('.');
}
