// The proxy of a connection, in place of the operator's. Its address is checked as that of a warehouse, and its password is a
// secret of the connection.
import Type from 'typebox';
import {
  AppError,
  basicAuthorization,
  type Issue,
  type ProxiedPlace,
  type ProxyServer,
  parseProxy,
  template,
} from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { addressIssues } from './address-issues.ts';
import { resolveHost } from './resolve-host.ts';

const MEANING = 'must be a proxy such as http://proxy.example.com:3128, without user and password';

export const proxyFields = {
  /** HTTP proxy that opens tunnels to the warehouse, in place of the operator's. */
  proxy: Type.Optional(
    Type.Refine(
      Type.String({ minLength: 1, maxLength: 300 }),
      isProxy,
      () => `${MEANING}; they are proxy_user and proxy_password`,
    ),
  ),
  proxy_user: Type.Optional(
    Type.Refine(
      Type.String({ minLength: 1, maxLength: 255 }),
      (text) => !text.includes(':'),
      () => 'must not contain a colon',
    ),
  ),
  proxy_password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
};

interface ProxyConfig {
  readonly proxy?: string;
  readonly proxy_user?: string;
  readonly proxy_password?: string;
}

function isProxy(text: string): boolean {
  return /^https?:\/\//i.test(text) && !text.includes('@') && parseProxy(text, '') !== undefined;
}

/** Returns the environment whose connections all go through the connection's own proxy, where it has one. Throws AppError. */
export async function withOwnProxy(
  config: ProxyConfig,
  environment: ConnectorEnvironment,
): Promise<ConnectorEnvironment> {
  const proxy = await ownProxyOf(config, environment);
  return proxy === undefined
    ? environment
    : { ...environment, network: { ...environment.network, proxyOf: ({ scheme }: ProxiedPlace) => scheme && proxy } };
}

/** Returns the proxy with its checked addresses. Throws WAREHOUSE_CONFIG for one that the operator's rules refuse. */
async function ownProxyOf(config: ProxyConfig, { network }: ConnectorEnvironment): Promise<ProxyServer | undefined> {
  const { proxy: text, proxy_user: user, proxy_password: password } = config;
  const proxy = text === undefined ? undefined : parseProxy(text, 'config.proxy');
  if (proxy === undefined) {
    if (user === undefined && password === undefined) return undefined;
    throw wrong('{config.proxy} is missing; give it, or remove {config.proxy_user} and {config.proxy_password}.');
  }
  if (user === undefined && password !== undefined)
    throw wrong('{config.proxy_user} is missing; give it with {config.proxy_password}.');
  const { proxyOf: _, ...direct } = network;
  const addresses = await resolveHost({ ...proxy, madeBy: template('{config.proxy}') }, direct);
  const authorization = user === undefined ? undefined : basicAuthorization(user, password ?? '');
  return { ...proxy, addresses, authorization, signInSetBy: 'config.proxy_user and config.proxy_password' };
}

/** Returns the complaints about the proxy of a connection, and the environment behind it. */
export async function checkOwnProxy(
  config: ProxyConfig,
  environment: ConnectorEnvironment,
  classify: (failure: unknown) => AppError,
): Promise<{ readonly issues: readonly Issue[]; readonly behind: ConnectorEnvironment }> {
  let behind = environment;
  const check = async () => {
    behind = await withOwnProxy(config, environment);
  };
  return { issues: await addressIssues('config.proxy', check, classify), behind };
}

function wrong(message: string): AppError {
  return new AppError('WAREHOUSE_CONFIG', template(message));
}
