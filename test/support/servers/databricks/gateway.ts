// Databricks' front of Apache Spark's own HiveThriftServer2. Calls that need no change travel as the driver wrote them.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import {
  describe as describeResults,
  executeStatement,
  fetchResults,
  guidOf,
  openSession,
  type Site,
  tellStatus,
} from './statements.ts';
import { decode, encodeReply, openUpstream, Refused, readAll, readHead, type StructOf, T } from './thrift.ts';

interface Handler {
  readonly answer: (site: Site, bytes: Buffer) => Promise<object>;
}

function handler<Call extends object>(
  Type: StructOf<Call>,
  answer: (site: Site, call: Call) => Promise<object>,
): Handler {
  return {
    answer(site, bytes) {
      const call = decode(bytes, Type);
      if (call === undefined) throw new Error('The driver sent an exception.');
      return answer(site, call);
    },
  };
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  OpenSession: handler(T.TOpenSessionReq, openSession),
  ExecuteStatement: handler(T.TExecuteStatementReq, executeStatement),
  GetOperationStatus: handler(T.TGetOperationStatusReq, async ({ upstream }, call) =>
    tellStatus(await upstream.ask('GetOperationStatus', call, T.TGetOperationStatusResp)),
  ),
  GetResultSetMetadata: handler(T.TGetResultSetMetadataReq, (site, { operationHandle }) =>
    describeResults(site, operationHandle),
  ),
  FetchResults: handler(T.TFetchResultsReq, fetchResults),
};

export interface GatewayOptions {
  readonly sparkPort: number;
  readonly port: number;
  readonly token: string;
  /** Key and certificate as PKCS #12. */
  readonly pfx: Buffer;
  readonly passphrase: string;
}

/** The path on which the gateway answers as an all-purpose cluster; on any other as a SQL warehouse. */
export const CLUSTER_PATH = '/cliservice/cluster';

/** Listens on 127.0.0.1 and takes the token alone. */
export async function startGateway({ sparkPort, port, token, ...tls }: GatewayOptions): Promise<void> {
  const site: Site = { upstream: openUpstream(sparkPort), operations: new Map(), isCluster: false };
  const server = createServer(tls, (request, response) => {
    serve(site, { request, response, token }).catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      if (!response.headersSent) response.writeHead(502).end();
    });
  });
  server.keepAliveTimeout = 65_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly token: string;
}

async function serve(site: Site, { request, response, token }: Exchange): Promise<void> {
  const bytes = await readAll(request);
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(403, { 'x-databricks-reason-phrase': 'Invalid access token.' }).end();
  } else if (request.method !== 'POST') {
    response.writeHead(404).end();
  } else {
    const answer = await answerCall({ ...site, isCluster: request.url === CLUSTER_PATH }, bytes);
    response.writeHead(200, { 'content-type': 'application/x-thrift', 'content-length': answer.length }).end(answer);
  }
}

async function answerCall(site: Site, bytes: Buffer): Promise<Buffer> {
  const head = readHead(bytes);
  if (head.name === 'CloseOperation') {
    const handle = decode(bytes, T.TCloseOperationReq)?.operationHandle;
    if (handle !== undefined) site.operations.delete(guidOf(handle));
  }
  const handler = HANDLERS[head.name];
  if (handler === undefined) return site.upstream.post(bytes);
  try {
    return encodeReply(head, await handler.answer(site, bytes));
  } catch (error) {
    if (error instanceof Refused) return error.bytes;
    throw error;
  }
}
