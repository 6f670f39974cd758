import { AppError } from '../../kernel/index.ts';
import type { ApiName, Endpoint } from '../contract.ts';

/** Prefixes of each API; a path under none of these answers as `operations`. */
const PREFIXES: Readonly<Record<Exclude<ApiName, 'operations'>, readonly string[]>> = {
  platform_v1: ['/platform/v1/'],
  platform_v2: ['/platform/', '/v1/workspace/'],
  oauth: ['/oauth/'],
  dsr: ['/dsr/'],
  events: ['/v2/', '/v3/', '/webevents/'],
  analytics: ['/analytics/', ...['batch', 'track', 'page', 'screen', 'group', 'alias'].map((name) => `/v1/${name}/`)],
  identity: ['/v1/', '/identity/'],
};

/** Returns the API whose prefix a path has. The first match wins, because identity has the rest of `/v1/`. */
export function apiOfPath(path: string): ApiName {
  const apis = Object.keys(PREFIXES) as (keyof typeof PREFIXES)[];
  return apis.find((name) => PREFIXES[name].some((prefix) => `${path}/`.startsWith(prefix))) ?? 'operations';
}

type ServedPath = Pick<Endpoint, 'method' | 'path' | 'aliases' | 'streams'>;

interface UnknownPath {
  readonly error: AppError;
  /** Value for `Allow`, where the path exists with other methods. */
  readonly allow: string | undefined;
}

/** Returns a function that tells an unknown path from a method that the path does not have. */
export function unknownPaths(endpoints: readonly ServedPath[]): (method: string, path: string) => UnknownPath {
  const served = endpoints.flatMap(({ method, path, aliases = [], streams }) =>
    [path, ...aliases].map((each) => ({ methods: methodsOf(method, streams), pattern: patternOf(each) })),
  );
  return (method, path) => {
    const methods = new Set(served.filter(({ pattern }) => pattern.test(path)).flatMap((endpoint) => endpoint.methods));
    if (methods.size === 0) {
      return {
        error: new AppError('NOT_FOUND', `The path ${path} does not exist; /docs lists all paths.`),
        allow: undefined,
      };
    }
    const allow = [...methods].join(', ');
    const message = `${path} does not support ${method}; it supports ${allow}.`;
    return { error: new AppError('METHOD_NOT_ALLOWED', message), allow };
  };
}

/** Adds HEAD to GET, except where an answer is streamed. */
function methodsOf(method: Endpoint['method'], streams: Endpoint['streams']): readonly string[] {
  return method === 'GET' && streams === undefined ? ['GET', 'HEAD'] : [method];
}

function patternOf(path: string): RegExp {
  const steps = path
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}/?$`);
}
