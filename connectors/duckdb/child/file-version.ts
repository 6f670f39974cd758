// The header of a database file, which names the version of DuckDB that made it. Its layout is that of DuckDB's storage
// (https://duckdb.org/docs/stable/internals/storage): a checksum, the bytes DUCK, the version of the storage, flags, the name
// of the library.
import { open } from 'node:fs/promises';
import { AppError, messageOf } from '../../../src/kernel/index.ts';
import type { NodeApi } from './sdk.ts';

const HEADER_BYTES = 84;
const STORAGE_AT = 12;
const [LIBRARY_AT, LIBRARY_BYTES] = [52, 32];

/**
 * Returns the error of a file of another version, with what made it and what reads it, where `failure` is DuckDB's refusal of
 * its version; otherwise undefined.
 */
export async function otherVersion(api: NodeApi, path: string, failure: unknown): Promise<AppError | undefined> {
  const [, readable] = /we can only read versions? (.{1,40})\.\n/.exec(messageOf(failure)) ?? [];
  if (readable === undefined) return undefined;
  const header = Buffer.alloc(HEADER_BYTES);
  await using file = await open(path, 'r');
  await file.read(header, 0, HEADER_BYTES, 0);
  const [library = ''] =
    /^v?[\w.+-]{1,32}/.exec(header.toString('latin1', LIBRARY_AT, LIBRARY_AT + LIBRARY_BYTES)) ?? [];
  const maker = library === '' ? 'a version of DuckDB that it does not name' : `DuckDB ${library}`;
  const message =
    `The file was made by ${maker} (storage version ${header.readBigUInt64LE(STORAGE_AT)}). Penstock reads with DuckDB ` +
    `${api.version()}, storage versions ${readable}. Write the file in a form that it reads: ` +
    `ATTACH 'new.duckdb' AS new (STORAGE_VERSION '${api.version()}'); COPY FROM DATABASE <name of the old one> TO new.`;
  return new AppError('WAREHOUSE_CONFIG', message, { cause: failure });
}
