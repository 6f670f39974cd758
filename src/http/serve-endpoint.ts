import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type Json, refuse, stringifyJson } from '../kernel/index.ts';
import { mediaType, parseBody } from './body/parse-body.ts';
import { announcesBody, readBody } from './body/read-body.ts';
import { clientSignal } from './client-signal.ts';
import type { Authenticate, Caller, Endpoint, EndpointResponse } from './contract.ts';
import { type ResponseCheck, responseCheck } from './validation/check-response.ts';
import type { RawParameters } from './validation/coerce-parameters.ts';
import { type RequestValidator, requestValidator } from './validation/validate-request.ts';

export interface Serving {
  readonly authenticate: Authenticate;
  readonly bodyLimitBytes: number;
  readonly checkResponses: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

interface Route {
  readonly endpoint: Endpoint;
  readonly serving: Serving;
  readonly validator: RequestValidator;
  readonly checkResponse: ResponseCheck | undefined;
}

/** Makes the route of an endpoint: credentials first, then path and query, then the body, then the handler. */
export function serveEndpoint(app: FastifyInstance, endpoint: Endpoint, serving: Serving): void {
  const route: Route = {
    endpoint,
    serving,
    validator: requestValidator(endpoint),
    checkResponse: serving.checkResponses ? responseCheck(endpoint) : undefined,
  };
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: { api: endpoint.api },
    handler: (request, reply) => answer(route, request, reply),
  });
}

async function answer(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { endpoint, validator } = route;
  const signal = clientSignal(reply.raw);
  const caller = await identify(route, request);
  const { params, query } = validator.parameters(request.params as RawParameters, request.query as RawParameters);
  const body = endpoint.body === undefined ? undefined : await receive(route, request);
  const response = await endpoint.handler({
    params,
    query,
    body,
    get caller() {
      return known(caller, endpoint);
    },
    requestId: request.id,
    address: request.ip,
    headers: request.headers as Readonly<Record<string, string | undefined>>,
    signal,
  });
  route.checkResponse?.(response);
  return send(reply, response);
}

async function identify({ endpoint, serving }: Route, request: FastifyRequest): Promise<Caller | undefined> {
  if (endpoint.credential === 'none') return undefined;
  const caller = await serving.authenticate({
    rule: endpoint.credential,
    requires: endpoint.requires,
    authorization: request.headers.authorization,
    workspace: (request.params as Readonly<Record<string, string | undefined>>).workspaceId ?? '',
  });
  request.actor = caller.actor;
  return caller;
}

function known(caller: Caller | undefined, { method, path }: Endpoint): Caller {
  if (caller === undefined) throw new AppError('INTERNAL', `${method} ${path} asks for no credentials: no caller.`);
  return caller;
}

async function receive({ endpoint, serving, validator }: Route, { raw }: FastifyRequest): Promise<Json> {
  if (!announcesBody(raw)) throw needsBody();
  const type = mediaType(raw.headers['content-type'], endpoint.formEncoded === true);
  const bytes = await readBody(raw, serving.bodyLimitBytes);
  if (bytes.length === 0) throw needsBody();
  return validator.body(parseBody(bytes, type), bytes.length);
}

function needsBody(): AppError {
  return refuse([{ path: '', message: 'The request has no body, but one is needed here.' }]);
}

/** Text with a content type of its own goes out as it is, anything else as JSON with every digit. */
function send(reply: FastifyReply, { status, body, headers = {} }: EndpointResponse): FastifyReply {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  if (typeof body === 'string' && reply.hasHeader('content-type')) return reply.send(body);
  if (!reply.hasHeader('content-type')) reply.header('content-type', JSON_TYPE);
  return reply.send(stringifyJson(body));
}
