// A vendor's account as environment variables: one for each field of a connection's `config`.
import { readFileSync } from 'node:fs';
import { messageOf } from '../../src/kernel/index.ts';
import type { ConnectionConfig, Connector } from '../../src/warehouse/index.ts';
import { VENDORS, type VendorName } from './vendors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable and the field of `config` that it gives. */
export interface Variable {
  readonly name: string;
  readonly field: string;
}

/** The account that the variables give: an account, nothing at all, or something that is wrong. */
export type Reading =
  | { readonly config: ConnectionConfig; readonly secrets: readonly string[] }
  | { readonly skipped: string }
  | { readonly complaints: readonly string[] };

/** Ends the name of a variable that names a file with the value, such as that of a private key. */
const OF_FILE = '_FILE';

export function prefixOf(vendor: VendorName): string {
  return `VENDOR_${vendor.toUpperCase()}_`;
}

/** Returns the variables of a vendor, in the order of the connector's fields. */
export function variablesOf(vendor: VendorName): readonly Variable[] {
  const { connector, spaceField, startsFromSpace } = VENDORS[vendor];
  return fieldsOf(connector)
    .filter((field) => field !== spaceField || startsFromSpace === true)
    .map((field) => ({ name: `${prefixOf(vendor)}${field.toUpperCase()}`, field }));
}

/** Returns the fields of a connector's `config`. */
export function fieldsOf({ configSchema }: Pick<Connector, 'configSchema'>): readonly string[] {
  const properties: unknown = Reflect.get(configSchema, 'properties');
  if (typeof properties !== 'object' || properties === null) throw new Error('The schema of the config has no fields.');
  return Object.keys(properties);
}

/** Reads the account of a vendor. No complaint shows a value: it may be a secret. */
export function readVariables(vendor: VendorName, environment: Environment): Reading {
  const prefix = prefixOf(vendor);
  const given = Object.keys(environment).filter((name) => name.startsWith(prefix) && environment[name] !== '');
  if (given.length === 0) return { skipped: `no variable ${prefix}… is set; docs/vendor-accounts.md lists them` };
  const variables = variablesOf(vendor);
  const complaints: string[] = [];
  const config: Record<string, unknown> = { ...VENDORS[vendor].presets };
  for (const name of given) {
    const variable = variables.find((known) => name === known.name || name === `${known.name}${OF_FILE}`);
    const complaint = complaintOf(name, { variable, variables, given });
    if (complaint !== undefined) complaints.push(complaint);
    else if (variable !== undefined)
      config[variable.field] = typed(vendor, variable.field, textOf(name, environment, complaints));
  }
  return complaints.length > 0 ? { complaints } : checked(vendor, config);
}

interface Given {
  readonly variable: Variable | undefined;
  readonly variables: readonly Variable[];
  readonly given: readonly string[];
}

function complaintOf(name: string, { variable, variables, given }: Given): string | undefined {
  if (variable === undefined)
    return `${name} is unknown. Known are ${variables.map((known) => known.name).join(', ')}.`;
  if (name === variable.name || !given.includes(variable.name)) return undefined;
  return `${variable.name} and ${name} are both set. Unset one of them.`;
}

/** Returns the value of a variable, or of the file that it names. */
function textOf(name: string, environment: Environment, complaints: string[]): string {
  const value = environment[name] ?? '';
  if (!name.endsWith(OF_FILE)) return value;
  try {
    return readFileSync(value, 'utf8');
  } catch (error) {
    complaints.push(`${name} names no file that can be read: ${messageOf(error)}`);
    return '';
  }
}

/** Returns a number or a truth value where the field is one; what is neither stays text, and the connector refuses it. */
function typed(vendor: VendorName, field: string, text: string): string | number | boolean {
  const { properties } = VENDORS[vendor].connector.configSchema as unknown as {
    readonly properties: Readonly<Record<string, { readonly type?: string }>>;
  };
  const type = properties[field]?.type;
  if ((type === 'integer' || type === 'number') && /^\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function checked(vendor: VendorName, config: Readonly<Record<string, unknown>>): Reading {
  const { connector, spaceField } = VENDORS[vendor];
  const issues = connector.checkConfig({ [spaceField]: 'penstock', ...config });
  const complaints = issues.map(({ path, message }) => `${nameOf(vendor, path)} ${message}`);
  // the space is named by the field where the run starts from one
  if (VENDORS[vendor].startsFromSpace && config[spaceField] === undefined)
    complaints.push(`${nameOf(vendor, `config.${spaceField}`)} is missing.`);
  if (complaints.length > 0) return { complaints };
  const secrets = connector.secretFields.flatMap((field) => {
    const value = config[field];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return { config, secrets };
}

/** Returns the variable of a path below `config`; the path itself where it names no field. */
function nameOf(vendor: VendorName, path: string): string {
  const field = path.replace(/^config\.?/, '');
  return variablesOf(vendor).find((variable) => variable.field === field)?.name ?? (path || 'config');
}
