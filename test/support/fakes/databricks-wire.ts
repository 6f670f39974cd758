// A server that speaks as a SQL warehouse does, with answers made beforehand: for what the local server cannot show (sign-in
// with OAuth, refused grants, results in columns, Arrow types of the product), and for measuring the client alone.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TColumn, TFetchResultsResp } from '@databricks/sql/thrift/TCLIService_types.js';
import { CERTIFICATE, CERTIFICATE_KEY } from '../apis/localhost-certificate.ts';
import { decode, encodeReply, makeInt64, readAll, readHead, T } from '../servers/databricks/thrift.ts';

/** What a statement gives: a refusal, rows as Arrow, or rows in columns. */
export type WireAnswer =
  | { readonly refused: string; readonly sqlState: string }
  | {
      /** Arrow IPC. */
      readonly schema: Buffer;
      readonly columns: readonly string[];
      /** Each fetch gives one. */
      readonly batches: readonly { readonly bytes: Buffer; readonly rows: number }[];
    }
  | { readonly columnSet: readonly TColumn[] };

/** Settings that a call carries. */
export type WireSettings = Readonly<Record<string, string>>;

export interface WireBehaviour {
  answer(sql: string, settings: WireSettings): WireAnswer;
  /** Comes in place of rows at a statement's so-manieth question for them, from 0; the rows come with the next one. */
  instead?(sql: string, asked: number): TFetchResultsResp | undefined;
  /** The service principal that may sign in; absent: every token is good. */
  readonly oauth?: { readonly clientId: string; readonly clientSecret: string };
}

export interface DatabricksWire extends AsyncDisposable {
  readonly port: number;
  /** Method and path of each request. */
  readonly seen: readonly string[];
}

interface Operation {
  readonly sql: string;
  readonly answer: WireAnswer;
  asked: number;
  fetched: number;
}

export async function openDatabricksWire(behaviour: WireBehaviour): Promise<DatabricksWire> {
  const seen: string[] = [];
  const operations = new Map<string, Operation>();
  const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const work = request.url?.startsWith('/oidc/') ? signIn : serve;
    work(request, response).catch((error: Error) => response.destroy(error));
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const bytes = await readAll(request);
    if (behaviour.oauth !== undefined && request.headers.authorization !== `Bearer ${TOKEN}`) {
      return void response.writeHead(401).end();
    }
    const head = readHead(bytes);
    const body = encodeReply(head, answerCall(head.name, bytes, { behaviour, operations }));
    response.writeHead(200, { 'content-type': 'application/x-thrift', 'content-length': body.length }).end(body);
  };
  const signIn = async (request: IncomingMessage, response: ServerResponse) => {
    await readAll(request);
    const { status, body } = oauthAnswer(request, behaviour.oauth);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const OK = new T.TStatus({ statusCode: T.TStatusCode.SUCCESS_STATUS });

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
      const { statement: sql = '', confOverlay } = decode(bytes, T.TExecuteStatementReq) ?? {};
      const answer = behaviour.answer(sql, confOverlay ?? {});
      operations.set(operationId.guid.toString('hex'), { sql, answer, asked: 0, fetched: 0 });
      const operationHandle = new T.TOperationHandle({
        ...{ operationId, operationType: T.TOperationType.EXECUTE_STATEMENT, hasResultSet: true },
      });
      return new T.TExecuteStatementResp({ status: OK, operationHandle });
    }
    case 'GetOperationStatus':
      return statusOf(known().answer);
    case 'GetResultSetMetadata':
      return metadataOf(known().answer);
    case 'FetchResults': {
      const operation = known();
      return behaviour.instead?.(operation.sql, operation.asked++) ?? nextRows(operation);
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
  return new T.TGetOperationStatusResp({ status: OK, operationState: ERROR_STATE, displayMessage, sqlState });
}

function metadataOf(answer: WireAnswer): object {
  const { ARROW_BASED_SET, COLUMN_BASED_SET } = T.TSparkRowSetType;
  const isArrow = 'schema' in answer;
  const names = 'columnSet' in answer ? answer.columnSet.map((_, index) => `c${index}`) : isArrow ? answer.columns : [];
  return new T.TGetResultSetMetadataResp({
    ...{ status: OK, resultFormat: isArrow ? ARROW_BASED_SET : COLUMN_BASED_SET, lz4Compressed: false },
    schema: new T.TTableSchema({ columns: names.map(columnDesc) }),
    ...(isArrow ? { arrowSchema: answer.schema } : {}),
  });
}

function columnDesc(columnName: string, index: number) {
  const primitiveEntry = new T.TPrimitiveTypeEntry({ type: T.TTypeId.STRING_TYPE });
  const typeDesc = new T.TTypeDesc({ types: [new T.TTypeEntry({ primitiveEntry } as never)] });
  return new T.TColumnDesc({ columnName, typeDesc, position: index + 1 });
}

function nextRows(operation: Operation): object {
  const { answer } = operation;
  const at = operation.fetched++;
  const results = new T.TRowSet({ startRowOffset: makeInt64(0) as never, rows: [] });
  if ('columnSet' in answer) {
    if (at === 0) results.columns = [...answer.columnSet];
    return new T.TFetchResultsResp({ status: OK, hasMoreRows: false, results });
  }
  const batches = 'batches' in answer ? answer.batches : [];
  const batch = batches[at];
  results.arrowBatches =
    batch === undefined
      ? []
      : [new T.TSparkArrowBatch({ batch: batch.bytes, rowCount: makeInt64(batch.rows) as never })];
  return new T.TFetchResultsResp({ status: OK, hasMoreRows: at + 1 < batches.length, results });
}

/** The SDK looks at the time it ends, and at nothing else. */
const TOKEN = ['e30', Buffer.from(JSON.stringify({ exp: 9_999_999_999 })).toString('base64url'), 'x'].join('.');

function oauthAnswer({ url = '', headers }: IncomingMessage, oauth: WireBehaviour['oauth']) {
  const issuer = `https://${headers.host}/oidc`;
  if (url.includes('.well-known')) {
    return { status: 200, body: { issuer, token_endpoint: `${issuer}/v1/token`, jwks_uri: `${issuer}/jwks` } };
  }
  const wanted = `Basic ${Buffer.from(`${oauth?.clientId}:${oauth?.clientSecret}`).toString('base64')}`;
  if (headers.authorization === wanted) {
    return { status: 200, body: { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 } };
  }
  return { status: 401, body: { error: 'invalid_client', error_description: 'Client authentication failed' } };
}
