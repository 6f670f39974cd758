import { mkdir, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AppError } from '../../src/kernel/index.ts';

/**
 * Returns the real path of a file inside the workspace's folder. Never creates a missing file. Throws WAREHOUSE_CONFIG for it,
 * a fault of the connection, because no change to a model can fix it.
 */
export async function locateDatabase(folder: string, database: string): Promise<string> {
  const home = await folderPath(folder);
  const path = await realpath(join(home, database)).catch((cause: unknown) => {
    throw new AppError(
      'WAREHOUSE_CONFIG',
      `The file "${database}" is not in the workspace’s folder. Copy it to ${basename(dirname(home))}/${basename(home)} below ` +
        'PENSTOCK_HOME; Penstock does not create it.',
      { cause },
    );
  });
  if (isOutside(home, path)) {
    throw new AppError(
      'WAREHOUSE_CONFIG',
      `"${database}" is outside the workspace’s folder, which is not allowed; name a file inside it.`,
    );
  }
  if (!(await stat(path)).isFile()) {
    throw new AppError('WAREHOUSE_CONFIG', `"${database}" is not a file; name a DuckDB database file.`);
  }
  return path;
}

const MAGIC = 'DUCK';
const MAGIC_AT = 8;

/**
 * Throws WAREHOUSE_CONFIG for a file that is no database.
 * DuckDB opens a CSV or Parquet file as a database in memory, and then complains of a mode that nobody chose.
 */
export async function requireDatabase(path: string, database: string): Promise<void> {
  const file = await open(path).catch(() => undefined);
  // DuckDB's own error says best why the file cannot be opened
  if (file === undefined) return;
  await using _closed = file;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, MAGIC_AT);
  if (buffer.toString('latin1', 0, bytesRead) === MAGIC) return;
  throw new AppError(
    'WAREHOUSE_CONFIG',
    `"${database}" is not a DuckDB database. To read CSV or Parquet, make the database :memory: and name the file in the ` +
      "model's SQL, such as SELECT * FROM 'people.csv'.",
  );
}

/** Returns the folder's real path, as DuckDB compares real paths. Creates the folder, which is ours, at the first call. */
export async function folderPath(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await realpath(folder);
  } catch (cause) {
    throw new AppError(
      'WAREHOUSE_CONFIG',
      'The workspace’s folder for DuckDB, CSV and Parquet files cannot be created.',
      {
        cause,
      },
    );
  }
}

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}
