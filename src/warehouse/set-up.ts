// The statements that an administrator of the warehouse runs once, so that the connection's user can read one table and write
// MPIDs back to it (docs/spec/warehouse-sync.md#mpids-in-a-warehouse-table, step 4). Connectors write the statements; this file
// defines their inputs and results.
import { type Issue, refuse } from '../kernel/index.ts';

/** The inputs of the specification, from role_name to acct_id; `publicKey` and `region` are ours. */
export const SET_UP_INPUTS = [
  'role',
  'warehouse',
  'database',
  'schema',
  'table',
  'user',
  'password',
  'publicKey',
  'pod',
  'cloudAccount',
  'orgId',
  'accountId',
  'region',
] as const;
export type SetUpInput = (typeof SET_UP_INPUTS)[number];

/** The permitted form of a value, so that no value can become SQL. */
export interface InputRule {
  readonly pattern: RegExp;
  /** Completes "must be …". */
  readonly meaning: string;
  readonly isOptional?: true;
  /** Sentence or command that tells how to get a value, for a caller who gave none. */
  readonly howToGet?: string;
}

export type SetUpValues = Readonly<Partial<Record<SetUpInput, string>>>;

/** One provider's part of the setup. */
export interface SetUp {
  /** Inputs that apply to the provider; others are refused. */
  readonly inputs: Readonly<Partial<Record<SetUpInput, InputRule>>>;
  /** Inputs that the product no longer takes, each with the reason and the replacement. */
  readonly outdated?: Readonly<Partial<Record<SetUpInput, string>>>;
  /** Returns the script. `values` have passed `inputs`. */
  write(values: SetUpValues): SetUpScript;
}

export interface SetUpScript {
  /** Steps before the statements, each a sentence or a shell command: who runs the script, and what SQL cannot do. */
  readonly before: readonly string[];
  readonly statements: readonly SetUpStatement[];
  /** Values that are needed afterwards, and where each goes. */
  readonly keep: readonly { readonly what: string; readonly where: string }[];
}

export interface SetUpStatement {
  readonly purpose: string;
  /** One statement without a semicolon. */
  readonly sql: string;
}

/** A name that the model of the pipeline can write without quotes, as the query rules demand. */
export const PLAIN_NAME: InputRule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,126}$/,
  meaning: 'letters, digits and _, and not begin with a digit: the model must name it without quotes',
};
/** A name that occurs only in statements and in the connection's configuration, where it is quoted. */
export const ANY_NAME: InputRule = {
  pattern: /^(?! )[^\p{C}\p{Zl}\p{Zp}"'`\\]{1,127}(?<! )$/u,
  meaning: '1 to 127 characters without line breaks, quotes and backslashes, and begin and end with no blank',
};
/** Printable ASCII that means the same inside the quotes of every product. */
export const PASSWORD: InputRule = {
  pattern: /^(?!.*['"\\`])[!-~]{12,64}$/,
  meaning: '12 to 64 letters, digits and signs, without quotes, backslashes and spaces',
  isOptional: true,
};

/**
 * Returns the values. Throws VALIDATION_FAILED with one issue for each option that is missing, does not apply or has the wrong
 * form.
 */
export function readSetUp({ inputs, outdated }: SetUp, provider: string, values: SetUpValues): SetUpValues {
  const issues = SET_UP_INPUTS.flatMap((name): readonly Issue[] => {
    const message = outdatedIn(outdated?.[name], values[name]) ?? complaint(inputs[name], provider, values[name]);
    return message === undefined ? [] : [{ path: optionOf(name), message }];
  });
  if (issues.length > 0) throw refuse(issues);
  return values;
}

function outdatedIn(reason: string | undefined, value: string | undefined): string | undefined {
  return value === undefined ? undefined : reason;
}

function complaint(rule: InputRule | undefined, provider: string, value: string | undefined): string | undefined {
  if (rule === undefined) return value === undefined ? undefined : `does not apply to ${provider}; leave it out`;
  if (value === undefined) return rule.isOptional === true ? undefined : missing(rule, provider);
  return rule.pattern.test(value) ? undefined : `must be ${rule.meaning}`;
}

function missing({ howToGet }: InputRule, provider: string): string {
  return howToGet === undefined ? `is required for ${provider}` : `is required for ${provider}; ${howToGet}`;
}

/** Returns the option of an input: `cloudAccount` → `--cloud-account`. */
function optionOf(input: SetUpInput): string {
  return `--${input.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Folds a name as a product does where it is not quoted. A name that needs quotes stays as it is. */
export function foldName(name: string, letters: 'upper' | 'lower'): string {
  if (!PLAIN_NAME.pattern.test(name)) return name;
  return letters === 'upper' ? name.toUpperCase() : name.toLowerCase();
}

/** Returns a value that `readSetUp` has checked. */
export function given(values: SetUpValues, name: SetUpInput): string {
  return values[name] ?? '';
}
