import { isAbsolute, normalize, sep } from 'node:path';
import Type, { type Static } from 'typebox';

const IN_MEMORY = ':memory:';

/** Stays below the folder as text; symbolic links are followed, and checked, when it is opened. */
function staysInside(database: string): boolean {
  const path = normalize(database);
  return !isAbsolute(path) && path !== '.' && path !== '..' && !path.startsWith(`..${sep}`) && !path.includes('\0');
}

/** Configuration of DuckDB, the provider of our own (D-002). */
export const configSchema = Type.Object(
  {
    database: Type.Refine(
      Type.String({ minLength: 1, maxLength: 1000 }),
      staysInside,
      () => 'must be the name of a file inside the workspace’s own folder, or :memory:',
    ),
    // Reading is read-only in any case; false lets a write-back open the file for writing.
    read_only: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export type DuckDbConfig = Static<typeof configSchema>;

export function isInMemory({ database }: DuckDbConfig): boolean {
  return database === IN_MEMORY;
}
