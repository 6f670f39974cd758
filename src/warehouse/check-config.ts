import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import type { Issue } from '../kernel/index.ts';
import type { ConnectionConfig } from './connector.ts';

/** Checks a configuration against a connector's schema; compiled once. Paths are below `config`, as the caller wrote them. */
export function configChecker(schema: TSchema): (config: ConnectionConfig) => readonly Issue[] {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (config) => {
    compiled ??= Compile(schema);
    if (compiled.Check(config)) return [];
    const [, errors] = compiled.Errors(config);
    return errors.flatMap((error) => issuesOf(error, schema));
  };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  boolean: 'true or false, without quotes',
  string: 'text, in quotes',
  integer: 'a whole number, without quotes',
};

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

function issuesOf({ keyword, instancePath, params, message }: SchemaError, schema: TSchema): readonly Issue[] {
  // an unknown field is reported twice: by its object, and as a schema `false` of its own
  if (keyword === 'boolean') return [];
  const at = ['config', ...instancePath.split('/').filter((part) => part !== '')];
  const below = (names: unknown, text: string): Issue[] =>
    (Array.isArray(names) ? names : []).map((name) => ({ path: [...at, String(name)].join('.'), message: text }));
  if (keyword === 'required' && 'requiredProperties' in params) return below(params.requiredProperties, 'is required.');
  if (keyword === 'additionalProperties' && 'additionalProperties' in params) {
    const known = 'properties' in schema ? Object.keys(schema.properties as object).join(', ') : '';
    return below(params.additionalProperties, `is not a field of this provider; known are ${known}.`);
  }
  if (keyword === 'type' && 'type' in params) {
    return [{ path: at.join('.'), message: `must be ${TYPE_NAMES[String(params.type)] ?? String(params.type)}.` }];
  }
  return [{ path: at.join('.'), message: `${message}.` }];
}
