import type { Static, TSchema } from 'typebox';
import { compileSchema, type Issue } from '../kernel/index.ts';
import type { ConnectionConfig } from './connector.ts';

const MOST_ISSUES = 50;

/** A check of configurations against a connector's schema. */
interface ConfigChecker<Schema extends TSchema> {
  accepts(config: ConnectionConfig): config is ConnectionConfig & Static<Schema>;
  /** Returns what is wrong, with paths below `config`, as the caller wrote them. */
  complaints(config: ConnectionConfig): readonly Issue[];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  boolean: 'true or false, without quotes',
  string: 'text, in quotes',
  integer: 'a whole number, without quotes',
};

/** Builds the check of a schema, which is compiled at its first use. */
export function configChecker<Schema extends TSchema>(schema: Schema): ConfigChecker<Schema> {
  const check = compileSchema(schema, {
    unknown: (known) => `is not a field of this provider; known are ${known.join(', ')}`,
    // the value is not shown: it may be a secret. A text that breaks a pattern or a choice is quoted to the caller who sent it.
    wrongType: (types) => `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`,
  });
  return {
    accepts: (config): config is ConnectionConfig & Static<Schema> => check(config, 1).length === 0,
    complaints: (config) =>
      check(config, MOST_ISSUES).map(({ path, message }) => ({
        path: path === '' || path.startsWith('[') ? `config${path}` : `config.${path}`,
        message: `${message}.`,
      })),
  };
}
