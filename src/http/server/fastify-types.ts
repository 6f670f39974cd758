import type { ApiName } from '../contract.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whose error body the route answers with. */
    api?: ApiName;
  }
  interface FastifyRequest {
    /** Who calls, once that is known: for the access log. */
    actor: string | undefined;
    /** Headers that vouch for the text of its answer; undefined: its endpoint signs nothing, or nobody knows yet who asks. */
    sign: ((text: string) => Promise<Readonly<Record<string, string>>>) | undefined;
    /** The last byte of its answer is on the way. */
    isAnswered: boolean;
  }
}
