// CORS of the paths that web SDKs call (D-050). Each workspace sets which origins may read its answers. A preflight carries no
// key and so names no workspace: it is allowed where any workspace allows the origin. The answer itself is readable only where
// the key's own workspace allows the origin. A request from another origin is served all the same, because a public key is no
// secret: its page just cannot read the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { CredentialRule, Endpoint } from '../contract.ts';

/**
 * Check whether pages of this origin may read answers of a workspace, or of any workspace where none is given.
 * Implemented by `access`.
 */
export type AllowsOrigin = (origin: string, workspaceId: WorkspaceId | undefined) => Promise<boolean>;

const WEB_RULES: ReadonlySet<CredentialRule> = new Set<CredentialRule>(['input_web_events', 'input_identity']);

export const isForBrowsers = ({ credential }: Pick<Endpoint, 'credential'>): boolean => WEB_RULES.has(credential);

const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'accept, content-type, x-mp-key, x-request-id',
  'access-control-max-age': '600',
};
const EXPOSED = 'retry-after, x-request-id, x-mp-rate-limit-percentage-used';

/** Answers the browser's preflight without credentials. */
export function answerPreflights(app: FastifyInstance, endpoint: Endpoint, allowsOrigin: AllowsOrigin): void {
  if (!isForBrowsers(endpoint)) return;
  for (const url of [endpoint.path, ...(endpoint.aliases ?? [])]) {
    app.route({
      method: 'OPTIONS',
      url,
      config: { api: endpoint.api },
      async handler(request, reply) {
        const isAllowed = await allowOrigin({ request, reply, allowsOrigin }, undefined);
        return reply
          .code(204)
          .headers(isAllowed ? PREFLIGHT : {})
          .send();
      },
    });
  }
}

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly allowsOrigin: AllowsOrigin;
}

/**
 * Lets the page read the answer where its origin is allowed. `workspaceId` is the key's; undefined where no workspace is known.
 */
export async function allowOrigin(
  { request, reply, allowsOrigin }: Exchange,
  workspaceId: WorkspaceId | undefined,
): Promise<boolean> {
  void reply.header('vary', 'origin');
  const { origin } = request.headers;
  if (origin === undefined || !(await allowsOrigin(origin, workspaceId))) return false;
  void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED });
  return true;
}
