import type { Server } from 'node:http';
import { type FastifyHttpOptions, type FastifyInstance, fastify } from 'fastify';
import type { Config } from '../../config.ts';
import { answerClientError } from '../errors/client-error.ts';
import './fastify-types.ts';
import { answerError } from '../errors/answer-error.ts';
import { fromFastify } from '../errors/error-answer.ts';
import { readCertificate, type TlsFiles } from './certificate.ts';
import { requestId } from './request-id.ts';
import { createRewriteUrl } from './rewrite-url.ts';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'] as const;
const HEADER_BYTES = 16 * 1024;

/** Creates Fastify without its own behaviour: it parses no body, validates nothing and logs nothing. */
export function createApp(config: Config['http']): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: ({ headers }) => requestId(headers),
    requestIdHeader: false,
    rewriteUrl: createRewriteUrl(config.dsrHosts ?? []),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    // a whole request within a minute, its headers within 20 s
    requestTimeout: 60_000,
    ...transport(config.tls),
    // while the server closes, requests on open connections are still answered
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void answerError(fromFastify(error), request, reply);
    },
    clientErrorHandler: answerClientError,
  });
  // to Fastify no method has a body: this room reads bodies itself, after it has checked the credentials
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  app.decorateRequest('actor', undefined);
  app.decorateRequest('sign', undefined);
  app.decorateRequest('isAnswered', false);
  return app;
}

/**
 * Returns the options of HTTP or HTTPS under the type of plain HTTP.
 * Fastify's types tell a TLS server from a plain one, which makes no difference here.
 */
function transport(tls: TlsFiles | undefined): FastifyHttpOptions<Server> {
  const options = { headersTimeout: 20_000, maxHeaderSize: HEADER_BYTES };
  return tls === undefined ? { http: options } : ({ https: { ...options, ...readCertificate(tls) } } as object);
}
