import type { ApiName } from '../contract.ts';
import type { RawParameters } from '../validation/coerce-parameters.ts';

/** Path and query of a request, before the schemas of its endpoint have checked them. */
export interface Served {
  Params: Readonly<Record<string, string | undefined>>;
  Querystring: RawParameters;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** API whose error body the route answers with. */
    api?: ApiName;
  }
  interface FastifyRequest {
    /** Caller for the access log, once known. */
    actor: string | undefined;
    /** Signs the text of the answer by headers; undefined where the endpoint signs nothing, or while the caller is unknown. */
    sign: ((text: string) => Promise<Readonly<Record<string, string>>>) | undefined;
    /** The last byte of the answer is on its way. */
    isAnswered: boolean;
  }
}
