// Turns one variable at a time into a typed value. A wrong one becomes an issue with its name, and reading goes on.
import { asAppError, createKeyRing, type EncryptionKey, type Issue, Secret } from '../kernel/index.ts';
import { SETTINGS, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Reader = ReturnType<typeof createReader>;

export function createReader(environment: Environment, issues: Issue[]) {
  const text = (name: SettingName): string => environment[name]?.trim() || SETTINGS[name].default;
  const complain = (path: SettingName, message: string) => issues.push({ path, message });
  const optional = (name: SettingName): string | undefined => text(name) || undefined;
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return {
    text,
    integer(name: SettingName, least: number, most: number): number {
      const value = Number(text(name));
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      complain(name, `"${text(name)}" is not a whole number from ${least} to ${most}.`);
      return least;
    },
    oneOf(name: SettingName, allowed: readonly string[]): string {
      if (!allowed.includes(text(name))) complain(name, `"${text(name)}" must be one of ${allowed.join(', ')}.`);
      return text(name);
    },
    /** Parses a variable; `parse` returns undefined for a text that it refuses. */
    parsed<T>(name: SettingName, parse: (text: string) => T | undefined, meaning: string): T | undefined {
      const value = optional(name);
      if (value === undefined) return undefined;
      const found = parse(value);
      if (found === undefined) complain(name, `"${value}" is not ${meaning}.`);
      return found;
    },
    items(name: SettingName, fits: (item: string) => boolean, meaning: string): string[] {
      for (const item of list(name)) if (!fits(item)) complain(name, `"${item}" is not ${meaning}.`);
      return list(name);
    },
    /** Reads a secret. An issue does not quote the value: it may be the secret with a typing error. */
    secret(name: SettingName, fits: (text: string) => boolean, meaning: string): Secret | undefined {
      const value = optional(name);
      if (value === undefined) return undefined;
      if (!fits(value)) complain(name, `the value is not ${meaning}.`);
      return new Secret(value);
    },
    keys(name: SettingName): EncryptionKey[] {
      if (/^\s*,|,\s*(,|$)/.test(text(name))) complain(name, EMPTY_KEY);
      const keys = list(name).map((item) => {
        const [id = '', ...rest] = item.split(':');
        return { id: rest.length === 0 ? '' : id, key: new Secret(rest.join(':')) };
      });
      const refusal = keys.length === 0 ? undefined : refusalOfKeys(keys);
      if (refusal !== undefined) complain(name, `${refusal} Each key is written \`id:base64\`.`);
      return keys;
    },
  };
}

/** Issue of an empty key: a shell puts nothing where a variable was not set, and what that key encrypted could not be read. */
const EMPTY_KEY = 'a key of the list is empty; its variable was probably not set. Remove the comma, or insert the key.';

function refusalOfKeys(keys: readonly EncryptionKey[]): string | undefined {
  try {
    createKeyRing(keys);
    return undefined;
  } catch (error) {
    return asAppError(error).message;
  }
}
