import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type Json, type Log, refuse, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import { decodeBody, mediaType, parseBody, refuseDeep, refuseRepeated, refuseUnstorable } from '../body/parse-body.ts';
import { announcesBody, readBody } from '../body/read-body.ts';
import type {
  Authenticate,
  Caller,
  CredentialRequest,
  Endpoint,
  EndpointResponse,
  RequestHeaders,
} from '../contract.ts';
import { type ResponseCheck, responseCheck } from '../validation/check-response.ts';
import { type RequestValidator, requestValidator } from '../validation/validate-request.ts';
import { clientSignal } from './client-signal.ts';
import { type AllowsOrigin, allowOrigin, answerPreflights, type Exchange, isForBrowsers } from './cors.ts';
import type { Served } from './fastify-types.ts';
import { sendLines } from './send-lines.ts';

export interface Serving {
  readonly authenticate: Authenticate;
  readonly allowsOrigin: AllowsOrigin;
  readonly bodyLimitBytes: number;
  readonly checkResponses: boolean;
  readonly log: Log;
}

const JSON_TYPE = 'application/json; charset=utf-8';

interface Route {
  readonly endpoint: Endpoint;
  readonly serving: Serving;
  readonly validator: RequestValidator;
  readonly checkResponse: ResponseCheck | undefined;
}

/** Registers the route of an endpoint: credentials first, then path and query, then the body, then the handler. */
export function serveEndpoint(app: FastifyInstance, endpoint: Endpoint, serving: Serving): void {
  const route: Route = {
    endpoint,
    serving,
    validator: requestValidator(endpoint),
    checkResponse: serving.checkResponses ? responseCheck(endpoint) : undefined,
  };
  answerPreflights(app, endpoint, serving.allowsOrigin);
  for (const url of [endpoint.path, ...(endpoint.aliases ?? [])]) {
    app.route<Served>({
      method: endpoint.method,
      url,
      // HEAD runs the handler and discards its answer
      exposeHeadRoute: endpoint.streams === undefined,
      config: { api: endpoint.api },
      handler: (request, reply) => answer(route, request, reply),
    });
  }
}

async function answer(route: Route, request: FastifyRequest<Served>, reply: FastifyReply): Promise<FastifyReply> {
  const { endpoint, validator } = route;
  const signal = clientSignal(reply.raw);
  const bytes = bodyReader(route, request.raw);
  const caller = isForBrowsers(endpoint)
    ? await identifyPage(route, { request, reply, allowsOrigin: route.serving.allowsOrigin }, bytes)
    : await identify(route, request, bytes);
  const { params, query } = validator.parameters(request.params, request.query);
  const {
    value: body,
    text,
    hasRepeated,
  } = endpoint.body === undefined ? NO_BODY : await receive(route, request, () => bytes(caller?.workspaceId));
  const response = await endpoint.handler({
    params,
    query,
    body,
    bodyText: text,
    hasRepeatedField: hasRepeated,
    get caller() {
      return known(caller, endpoint);
    },
    requestId: request.id,
    address: request.ip,
    headers: request.headers as RequestHeaders,
    get signal() {
      return signal();
    },
  });
  route.checkResponse?.(response);
  const stream = response.lines ?? response.file;
  if (stream === undefined) return send(request, reply, response);
  reply.code(response.status).headers(response.headers ?? {});
  return sendLines(reply, stream, route.serving.log);
}

type BodyReader = CredentialRequest['body'];

/**
 * Returns a reader that reads the body at the first call and gives all callers the same bytes.
 * The check of a signature needs them before the handler.
 */
function bodyReader({ endpoint, serving }: Route, raw: IncomingMessage): BodyReader {
  let reading: Promise<Buffer> | undefined;
  return (workspaceId) => {
    reading ??= read(workspaceId);
    return reading;
  };
  async function read(workspaceId: WorkspaceId | undefined): Promise<Buffer> {
    if (!announcesBody(raw)) return Buffer.alloc(0);
    const { bodyLimitBytes: limit = serving.bodyLimitBytes } = endpoint;
    if (typeof limit === 'number') return readBody(raw, Math.min(limit, serving.bodyLimitBytes));
    return readBody(raw, workspaceId === undefined ? serving.bodyLimitBytes : await limit(workspaceId));
  }
}

async function identify(
  { endpoint, serving }: Route,
  request: FastifyRequest<Served>,
  body: BodyReader,
): Promise<Caller | undefined> {
  if (endpoint.credential === 'none') return undefined;
  const { workspaceId = '', key } = request.params;
  const caller = await serving.authenticate({
    rule: endpoint.credential,
    requires: endpoint.requires,
    authorization: request.headers.authorization,
    workspace: workspaceId,
    key,
    method: request.method,
    url: request.raw.url ?? '',
    headers: request.headers as RequestHeaders,
    address: request.ip,
    body,
  });
  request.actor = caller.actor;
  if (endpoint.sign !== undefined) request.sign = endpoint.sign.bind(endpoint, caller);
  await endpoint.admit?.(caller);
  return caller;
}

type PageExchange = Exchange & { readonly request: FastifyRequest<Served> };

/** Identifies the caller as `identify` does, and lets an allowed page read every answer, even the refusal of its key. */
async function identifyPage(route: Route, exchange: PageExchange, body: BodyReader): Promise<Caller | undefined> {
  try {
    const caller = await identify(route, exchange.request, body);
    await allowOrigin(exchange, caller?.workspaceId);
    return caller;
  } catch (error) {
    await allowOrigin(exchange, undefined);
    throw error;
  }
}

function known(caller: Caller | undefined, { method, path }: Endpoint): Caller {
  if (caller === undefined) throw new AppError('INTERNAL', `${method} ${path} asks for no credentials: no caller.`);
  return caller;
}

interface Received {
  readonly value: Json | undefined;
  readonly text: string;
  readonly hasRepeated: boolean;
}

const NO_BODY: Received = { value: undefined, text: '', hasRepeated: false };

async function receive(route: Route, { raw }: FastifyRequest, read: () => Promise<Buffer>): Promise<Received> {
  const { endpoint, validator } = route;
  if (!announcesBody(raw)) return lackOfBody(route);
  const type = mediaType(raw.headers['content-type'], endpoint);
  const bytes = await read();
  if (bytes.length === 0) return lackOfBody(route);
  const text = decodeBody(bytes);
  const parsed = parseBody(text, type);
  const { value } = parsed;
  if (endpoint.bodyCheck === 'items') return { value, text, hasRepeated: parsed.repeated !== undefined };
  refuseDeep(parsed);
  refuseRepeated(parsed);
  if (endpoint.bodyCheck === undefined) {
    refuseUnstorable(value, type === 'json' ? text : undefined);
    return { value: validator.body(value, bytes.length), text, hasRepeated: false };
  }
  return { value, text, hasRepeated: false };
}

function lackOfBody({ endpoint, validator }: Route): Received {
  if (endpoint.mayLackBody === true) return { ...NO_BODY, value: validator.body({}, 0) };
  throw refuse([{ path: '', message: 'The request has no body, but a body is required.' }]);
}

/** Sends text with its own content type as is, and anything else as JSON with every digit. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, headers = {} }: EndpointResponse,
): Promise<FastifyReply> {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  if (typeof body === 'string' && reply.hasHeader('content-type')) return reply.send(body);
  if (!reply.hasHeader('content-type')) reply.header('content-type', JSON_TYPE);
  const text = stringifyJson(body);
  if (request.sign !== undefined) reply.headers(await request.sign(text));
  return reply.send(text);
}
