import { fieldPath } from '../../kernel/index.ts';
import type { FieldContext } from './draft.ts';

/**
 * Accepted names of this processor's extension, such as `opendsr.example.org`. The first is its own; the others are aliases.
 */
export type ExtensionNames = readonly string[];

interface Own<Extension> {
  readonly path: string;
  readonly extension: Extension;
}

/**
 * Returns this processor's extension, or undefined without one. An extension of another processor is refused. It may name the
 * person by ids that mean nothing here; and a misspelled name of ours, if ignored, would silently do less than was requested.
 */
export function readExtension<Extension>(
  extensions: Readonly<Record<string, Extension>> | null | undefined,
  names: ExtensionNames,
  issues: FieldContext['issues'],
): Own<Extension> | undefined {
  const found = Object.entries(extensions ?? {}).map(([name, extension]) => ({ name, extension }));
  for (const { name } of found.filter((each) => !names.includes(each.name))) {
    const message = `is not an extension of this processor; use ${names[0]}`;
    issues.push({ path: fieldPath('extensions', name), message });
  }
  const [own, second] = found.filter(({ name }) => names.includes(name));
  if (second !== undefined) {
    issues.push({
      path: fieldPath('extensions', second.name),
      message: `means the same as ${own?.name}; send only one of them`,
    });
  }
  return own === undefined ? undefined : { path: fieldPath('extensions', own.name), extension: own.extension };
}
