import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

// Everything comes from here and nothing runs inline; only styles may, because the page sets some on its elements.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The reference page at /docs, from files of this machine. */
export function serveDocs(app: FastifyInstance, document: object): void {
  app.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' });
    });
    // a path that cannot be a file is no fault of ours
    docs.setErrorHandler((_error, _request, reply) => reply.callNotFound());
    await docs.register(swagger, { mode: 'static', specification: { document: document as never } });
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: POLICY,
      theme: { title: 'Penstock API' },
      uiConfig: {
        // without it the page asks validator.swagger.io
        validatorUrl: null,
        // no bar that offers to read other documents
        layout: 'BaseLayout',
        docExpansion: 'list',
        // the list of schemas stands closed at the end
        defaultModelsExpandDepth: 0,
        deepLinking: true,
        displayRequestDuration: true,
      },
    });
  });
}
