import { isAbsolute, normalize, sep } from 'node:path';
import Type, { type Static } from 'typebox';

const IN_MEMORY = ':memory:';

/**
 * Tells whether the text of a path stays below the folder. Symbolic links are followed, and checked, when the file is opened.
 */
function staysInside(database: string): boolean {
  const path = normalize(database);
  return !isAbsolute(path) && path !== '.' && path !== '..' && !path.startsWith(`..${sep}`) && !path.includes('\0');
}

/** Configuration of DuckDB, our own additional provider (D-002). */
export const configSchema = Type.Object(
  {
    database: Type.Refine(
      Type.String({ minLength: 1, maxLength: 1000 }),
      staysInside,
      () => 'must be the name of a file inside the workspace’s own folder, or :memory:',
    ),
    // Lets a write-back open the file for writing where false; reading is read-only in any case.
    read_only: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

export type DuckDbConfig = Static<typeof configSchema>;

export function isInMemory({ database }: DuckDbConfig): boolean {
  return database === IN_MEMORY;
}
