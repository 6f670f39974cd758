// Tokens of Microsoft Entra ID, by the client credentials grant as documented:
// https://learn.microsoft.com/azure/databricks/dev-tools/service-prin-aad-token. The SDK has this grant too, but it asks for
// `offline_access` besides, a scope that this grant does not have, and knows the public cloud alone.
import { parseJson, systemClock } from '../../src/kernel/index.ts';
import { fieldOf } from '../_shared/field-of.ts';
import type { EntraPrincipal } from './config.ts';
import type { Requester } from './guarded-request.ts';

/** Databricks as a resource of every tenant, in every cloud. */
const DATABRICKS_RESOURCE = '2ff814a6-3304-4ab8-85cb-cd0e6f879c1d';

/**
 * Hosts that hand out tokens, by the ends of the workspaces' hosts:
 * https://github.com/databricks/databricks-sdk-go/blob/main/common/environment/azure.go
 */
const ENTRA_HOSTS: Readonly<Record<string, string>> = {
  '.azuredatabricks.net': 'login.microsoftonline.com',
  '.databricks.azure.us': 'login.microsoftonline.us',
  '.databricks.azure.cn': 'login.chinacloudapi.cn',
};

/** Returns the host that hands out the tokens for a workspace, or undefined for a workspace outside of Azure. */
export function entraHostOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  return Object.entries(ENTRA_HOSTS).find(([end]) => name.endsWith(end))?.[1];
}

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

const LIMIT_MS = 30_000;
/** A token with many groups has some kilobytes. */
const MOST_BYTES = 256 * 1024;

/** Gets a token of the principal. Throws RefusedSignIn. */
export async function fetchEntraToken(requester: Requester, principal: EntraPrincipal): Promise<Token> {
  const { tenantId, entraHost, clientId, clientSecret } = principal;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: `${DATABRICKS_RESOURCE}/.default`,
  });
  const { status, body } = await requester.send({
    url: new URL(`https://${entraHost}/${tenantId}/oauth2/v2.0/token`),
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    mostBytes: MOST_BYTES,
    limitMs: LIMIT_MS,
  });
  const answer = readAnswer(body);
  const [text, seconds] = [fieldOf(answer, 'access_token'), Number(fieldOf(answer, 'expires_in'))];
  if (status === 200 && typeof text === 'string' && seconds > 0) {
    return { text, endsAtMs: systemClock.nowMs() + seconds * 1000 };
  }
  const [error, description] = [fieldOf(answer, 'error'), fieldOf(answer, 'error_description')];
  throw new RefusedSignIn(
    typeof error === 'string' ? error : '',
    typeof description === 'string' ? description : `${entraHost} answered HTTP ${status} without a token`,
  );
}

function readAnswer(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}
