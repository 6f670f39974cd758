import { template } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import type { Target } from '../_shared/resolve-host.ts';
import type { SnowflakeConfig } from './config.ts';

/** The region whose accounts have no region in their host name. */
const FIRST_REGION = 'us-west-2';

/** Returns the URL of an account, `https://myorg-account1.snowflakecomputing.com`, or that of the operator's own server. */
export function accessUrlOf(
  config: Pick<SnowflakeConfig, 'account_identifier' | 'region'>,
  { endpoints }: Pick<ConnectorEnvironment, 'endpoints'>,
): string {
  return endpoints.snowflake?.accessUrl ?? `https://${hostOf(config)}`;
}

/**
 * Returns the host of an account. `org-account` names an account anywhere, and so does a name with a dot. A bare locator
 * belongs to its region. Underscores of an account's name are hyphens in its host.
 */
export function hostOf({
  account_identifier: account,
  region,
}: Pick<SnowflakeConfig, 'account_identifier' | 'region'>): string {
  const isWhole = /[.-]/.test(account);
  const name = isWhole || region.toLowerCase() === FIRST_REGION ? account : `${account}.${region}`;
  const isChina = /(?:^|\.)cn-/i.test(isWhole ? account : region);
  return `${name.toLowerCase().replaceAll('_', '-')}.snowflakecomputing.${isChina ? 'cn' : 'com'}`;
}

/** Returns the account's name as a token of a key pair has it: without a region. */
export function accountNameOf({ account_identifier: account }: Pick<SnowflakeConfig, 'account_identifier'>): string {
  return account.split('.')[0] ?? account;
}

/** Returns the target of the identity provider's token endpoint. */
export function tokenTargetOf(url: URL): Target {
  return { ...targetOf(url), madeBy: template('{config.oauth_token_url}') };
}

export function targetOf({ hostname, port, protocol }: URL): Target {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
    scheme: protocol === 'http:' ? 'http' : 'https',
    madeBy: template('{config.account_identifier} and {config.region}'),
  };
}
