import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import type { Issue } from '../kernel/index.ts';
import type { ConnectionConfig } from './connector.ts';

/** A check of configurations against a connector's schema. */
interface ConfigChecker<Schema extends TSchema> {
  accepts(config: ConnectionConfig): config is ConnectionConfig & Static<Schema>;
  /** Returns what is wrong, with paths below `config`, as the caller wrote them. */
  complaints(config: ConnectionConfig): readonly Issue[];
}

/** Builds the check of a schema, which is compiled at its first use. */
export function configChecker<Schema extends TSchema>(schema: Schema): ConfigChecker<Schema> {
  let compiled: ReturnType<typeof Compile> | undefined;
  const validator = () => {
    compiled ??= Compile(schema);
    return compiled;
  };
  const accepts = (config: ConnectionConfig): config is ConnectionConfig & Static<Schema> => validator().Check(config);
  return {
    accepts,
    complaints: (config) => {
      if (accepts(config)) return [];
      const [, errors] = validator().Errors(config);
      return errors.flatMap((error) => issuesOf(error, schema));
    },
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
    const known = 'properties' in schema ? Object.keys(Object(schema.properties)).join(', ') : '';
    return below(params.additionalProperties, `is not a field of this provider; known are ${known}.`);
  }
  if (keyword === 'type' && 'type' in params) {
    return [{ path: at.join('.'), message: `must be ${TYPE_NAMES[String(params.type)] ?? String(params.type)}.` }];
  }
  return [{ path: at.join('.'), message: `${message}.` }];
}
