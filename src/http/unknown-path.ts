import { AppError } from '../kernel/index.ts';
import type { ApiName, Endpoint } from './contract.ts';

/** Where each API lives; what is under none of these answers as `operations`. */
const PREFIXES: Readonly<Record<Exclude<ApiName, 'operations'>, string>> = {
  platform_v2: '/platform/',
  oauth: '/oauth/',
};

/** The API whose prefix a path has. */
export function apiOfPath(path: string): ApiName {
  const api = (Object.keys(PREFIXES) as (keyof typeof PREFIXES)[]).find((name) =>
    `${path}/`.startsWith(PREFIXES[name]),
  );
  return api ?? 'operations';
}

type ServedPath = Pick<Endpoint, 'method' | 'path'>;

interface UnknownPath {
  readonly error: AppError;
  /** For `Allow`, when the path exists with other methods. */
  readonly allow: string | undefined;
}

/** Tells a path that does not exist from a method that the path does not have. */
export function unknownPaths(endpoints: readonly ServedPath[]): (method: string, path: string) => UnknownPath {
  const served = endpoints.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return (method, path) => {
    const methods = new Set(served.filter(({ pattern }) => pattern.test(path)).map((endpoint) => endpoint.method));
    if (methods.size === 0) {
      return {
        error: new AppError('NOT_FOUND', `There is no ${path} here; /docs lists what there is.`),
        allow: undefined,
      };
    }
    const allow = [...methods].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
    const message = `${path} does not answer ${method}; it answers ${allow}.`;
    return { error: new AppError('METHOD_NOT_ALLOWED', message), allow };
  };
}

function patternOf(path: string): RegExp {
  const steps = path
    .split('/')
    .map((step) => (step.startsWith(':') ? '[^/]+' : step.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}/?$`);
}
