// The table of a workspace's settings on docs/settings.md, from the schema that the API checks.
import { SettingsDocument } from '../src/access/contract/settings.ts';
import { code, table } from './page-tables.ts';

interface SettingSchema {
  readonly default?: unknown;
  readonly maximum?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
}

/** Returns the table: one line a setting, by its path. */
export function workspaceSettings(): string {
  return table(['setting', 'default', 'at most', 'meaning'], linesOf(SettingsDocument as SettingSchema, ''));
}

function linesOf({ properties = {} }: SettingSchema, path: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    schema.properties === undefined
      ? [
          [
            code(path + name),
            shown(schema.default),
            schema.maximum === undefined ? '' : String(schema.maximum),
            schema.description ?? '',
          ],
        ]
      : linesOf(schema, `${path}${name}.`),
  );
}

/** Formats a default; a long list stands on a page of its own. */
function shown(value: unknown): string {
  if (Array.isArray(value) && value.length > 0) return '[its order](identity.md#rules)';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}
