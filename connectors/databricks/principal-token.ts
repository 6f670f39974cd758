// Tokens of service principals, by the client credentials grant as documented, of the workspace or of Microsoft Entra ID:
// https://docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m
// https://learn.microsoft.com/azure/databricks/dev-tools/service-prin-aad-token
// The SDK has these grants too, but it bounds neither length nor time of an answer. From Entra ID it asks for `offline_access`
// besides, a scope that this grant does not have, and knows the public cloud alone.
import { basicAuthorization, parseJson, systemClock } from '../../src/kernel/index.ts';
import { fieldOf } from '../_shared/field-of.ts';
import type { EntraPrincipal, Principal } from './config.ts';
import type { Requester } from './guarded-request.ts';

/** Databricks as a resource of every tenant, in every cloud. */
const DATABRICKS_RESOURCE = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';

/** A refusal to hand out a token, in the terms of OAuth. */
export class RefusedSignIn extends Error {
  /** Code of OAuth, such as `invalid_client`; empty where the answer has none. */
  readonly error: string;

  constructor(error: string, message: string) {
    super(message);
    this.name = 'RefusedSignIn';
    this.error = error;
  }
}

export interface Token {
  readonly text: string;
  readonly endsAtMs: number;
}

/** A token with many groups has some kilobytes. */
const LIMITS = { mostBytes: 256 * 1024, totalMs: 30_000 };

/** Gets a token of the principal for the workspace on `host`. Throws RefusedSignIn. */
export async function fetchToken(
  requester: Requester,
  host: string,
  principal: Principal | EntraPrincipal,
): Promise<Token> {
  const { url, form, headers } = 'tenantId' in principal ? grantOfEntra(principal) : grantOfWorkspace(host, principal);
  const { status, body } = await requester.send({
    url: new URL(url),
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
    ...LIMITS,
  });
  const answer = readAnswer(body);
  const [text, seconds] = [fieldOf(answer, 'access_token'), Number(fieldOf(answer, 'expires_in'))];
  if (status === 200 && typeof text === 'string' && seconds > 0) {
    return { text, endsAtMs: systemClock.nowMs() + seconds * 1000 };
  }
  const [error, description] = [fieldOf(answer, 'error'), fieldOf(answer, 'error_description')];
  throw new RefusedSignIn(
    typeof error === 'string' ? error : '',
    typeof description === 'string' ? description : `${new URL(url).host} answered HTTP ${status} without a token`,
  );
}

interface Grant {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

function grantOfWorkspace(host: string, { clientId, clientSecret }: Principal): Grant {
  return {
    url: `https://${host}/oidc/v1/token`,
    form: { scope: 'all-apis' },
    headers: { authorization: basicAuthorization(clientId, clientSecret).reveal() },
  };
}

function grantOfEntra({ tenantId, entraHost, clientId, clientSecret }: EntraPrincipal): Grant {
  return {
    url: `https://${entraHost}/${tenantId}/oauth2/v2.0/token`,
    form: { client_id: clientId, client_secret: clientSecret, scope: `${DATABRICKS_RESOURCE}/.default` },
  };
}

function readAnswer(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}
