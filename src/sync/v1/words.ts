// How version 1 speaks of what the verbs of version 2, the warehouses and the runs say in the words of version 2. Pure.
import { AppError, type Issue, refuse } from '../../kernel/index.ts';
import type { PipelineContext } from '../pipeline-status.ts';
import { CONFIG_FIELDS } from '../provider.ts';
import { WAREHOUSES } from './warehouses.ts';

/** Names of version 1 by those of version 2, as they stand in paths and messages. */
export type Words = Readonly<Record<string, string>>;

/** No two warehouses have different names for one field. */
const CONFIG_WORDS: Words = Object.assign({}, ...Object.values(WAREHOUSES).map(({ fields }) => fields));

/** What connectors take beside what 002 requires of them. */
const MORE_FIELDS = [
  ...['private_key', 'private_key_passphrase', 'programmatic_access_token', 'schema', 'sslmode', 'sslrootcert'],
  'maximum_bytes_billed',
];

/** Names of `config`; a schema of a warehouse may be called `config`, too. */
export const CONFIG_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(CONFIG_FIELDS).flatMap(({ required, optional }) => [...required, ...optional]),
  ...MORE_FIELDS,
]);

/** Neither quoted nor part of a longer name, as the names of tables stand in what warehouses say. */
const CONFIG_NAME = /(?<![\w."'`])config\.(\w+)(?![\w"'`]|\.\w)/g;

/** What a verb of version 2 refuses, in the words of version 1. */
export async function inWords<Result>(words: Words, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (thrown.code === 'VALIDATION_FAILED') throw refuse(thrown.issues.map((issue) => translated(words, issue)));
    if (thrown.code !== 'WAREHOUSE_UNREACHABLE') throw thrown;
    throw new AppError(thrown.code, inOne(words, thrown.message), { cause: thrown });
  }
}

function translated(words: Words, { path, message }: Issue): Issue {
  const name = wordOf(words, path) ?? wordOf(CONFIG_WORDS, path.replace(/^config\./, '')) ?? path;
  return { path: name, message: inOne(words, message) };
}

/** A message of version 2. What version 1 has no name for is said to be version 2's. */
export function inOne(words: Words, message: string): string {
  // the longest first: one name may begin with another
  const names = Object.keys(words).sort((one, other) => other.length - one.length);
  return names
    .filter(isNoPlainWord)
    .reduce((text, name) => text.replaceAll(name, words[name] ?? name), message)
    .replaceAll(CONFIG_NAME, (name, field: string) =>
      CONFIG_NAMES.has(field) ? (wordOf(CONFIG_WORDS, field) ?? `${name} (version 2)`) : name,
    );
}

function wordOf(words: Words, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}

/** `state` may stand in a message as a word of its language. */
function isNoPlainWord(name: string): boolean {
  return /[._]/.test(name);
}

/** What is said of a pipeline's iterator and delay, which are its model's where it follows that. */
const FOLLOWED: Words = {
  iterator_field: 'load_timestamp_field_name',
  iterator_data_type: 'load_timestamp_field_type',
  iterator_time_zone: 'load_timestamp_field_time_zone',
};

/** Why a pipeline is faulted. */
export function faultInOne({ pipeline }: Pick<PipelineContext, 'pipeline'>, message: string): string {
  return inOne(pipeline.kept.versionOne?.followsModel === true ? FOLLOWED : {}, message);
}
