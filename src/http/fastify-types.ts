import type { ApiName } from './contract.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose error body the route answers with. */
    api?: ApiName;
  }
  interface FastifyRequest {
    /** Who calls, once that is known: for the access log. */
    actor: string | undefined;
    /** The last byte of its answer is on the way. */
    isAnswered: boolean;
  }
}
