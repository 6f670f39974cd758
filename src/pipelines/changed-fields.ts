import { stringifyJson } from '../kernel/index.ts';

type Answer = Readonly<Record<string, unknown>>;

/** Read-only fields, which no caller changes. */
const SILENT: ReadonlySet<string> = new Set([
  'status',
  'errors',
  'warnings',
  'created_on',
  'created_by',
  'last_modified_on',
  'last_modified_by',
]);

/** Returns the content of an audit entry: the top-level fields that differ, as the API shows them, so with masked secrets. */
export function changedFields(before: Answer | undefined, after: Answer): Readonly<Record<string, unknown>> {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = names.filter(
    (name) => !SILENT.has(name) && stringifyJson(before?.[name]) !== stringifyJson(after[name]),
  );
  const pick = (answer: Answer) => Object.fromEntries(changed.map((name) => [name, answer[name] ?? null]));
  return before === undefined ? pick(after) : { before: pick(before), after: pick(after) };
}
