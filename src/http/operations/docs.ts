import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

// All content comes from this server, and nothing runs inline. Only styles may be inline, because the page sets some on its
// elements.
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

/** Serves the reference page at /docs from files of this machine. */
export function serveDocs(app: FastifyInstance, document: object): void {
  app.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' });
    });
    // a path that cannot be a file is no fault of the server
    docs.setErrorHandler((_error, _request, reply) => reply.callNotFound());
    await docs.register(swagger, { mode: 'static', specification: { document: document as never } });
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: POLICY,
      theme: { title: 'Penstock API' },
      uiConfig: {
        // disables the validator: without this the page asks validator.swagger.io
        validatorUrl: null,
        // hides the bar that loads other documents
        layout: 'BaseLayout',
        docExpansion: 'list',
        // collapses the list of schemas at the end
        defaultModelsExpandDepth: 0,
        deepLinking: true,
        displayRequestDuration: true,
      },
    });
  });
}
