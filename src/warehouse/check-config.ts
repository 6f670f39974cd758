import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Issue } from '../kernel/index.ts';
import type { ConnectionConfig } from './connector.ts';

/** Checks a configuration against a connector's schema; compiled once. Paths are below `config`, as the caller wrote them. */
export function configChecker(schema: TSchema): (config: ConnectionConfig) => readonly Issue[] {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (config) => {
    compiled ??= Compile(schema);
    if (compiled.Check(config)) return [];
    return [...compiled.Errors(config)].flatMap(issuesOf);
  };
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

function issuesOf({ keyword, instancePath, params, message }: SchemaError): readonly Issue[] {
  // an unknown field is reported twice: by its object, and as a schema `false` of its own
  if (keyword === 'boolean') return [];
  const at = ['config', ...instancePath.split('/').filter((part) => part !== '')];
  const below = (names: unknown, text: string): Issue[] =>
    (Array.isArray(names) ? names : []).map((name) => ({ path: [...at, String(name)].join('.'), message: text }));
  if (keyword === 'required' && 'requiredProperties' in params) return below(params.requiredProperties, 'is required.');
  if (keyword === 'additionalProperties' && 'additionalProperties' in params) {
    return below(params.additionalProperties, 'is not a field of this provider.');
  }
  return [{ path: at.join('.'), message: `${message}.` }];
}
