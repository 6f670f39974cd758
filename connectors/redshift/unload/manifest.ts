// The list of files that UNLOAD writes last: https://docs.aws.amazon.com/redshift/latest/dg/r_UNLOAD_command_examples.html
import { AppError } from '../../../src/kernel/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';

export interface UnloadedFile {
  /** Key of the file in its bucket. */
  readonly key: string;
  readonly rows: number;
}

/**
 * Returns the files of a manifest. Throws WAREHOUSE_UNKNOWN where it is not as Amazon documents it, names a file outside the
 * folder, or counts other rows than the server.
 */
export function readManifest(text: string, folder: string, { bucket, rows }: Expected): readonly UnloadedFile[] {
  const entries = fieldOf(parse(text), 'entries');
  if (!Array.isArray(entries)) throw unread('has no list of files');
  const root = `s3://${bucket}/`;
  const files = entries.map((entry: unknown): UnloadedFile => {
    const [url, count] = [fieldOf(entry, 'url'), fieldOf(fieldOf(entry, 'meta'), 'record_count')];
    if (typeof url !== 'string' || !url.startsWith(`${root}${folder}`)) throw unread('names a file outside its folder');
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) throw unread('lacks a number of rows');
    return { key: url.slice(root.length), rows: count };
  });
  if (new Set(files.map(({ key }) => key)).size < files.length) throw unread('names a file twice');
  const listed = files.reduce((sum, file) => sum + file.rows, 0);
  if (listed !== rows) throw unread(`counts ${listed} rows, where the server unloaded ${rows}`);
  return files;
}

interface Expected {
  readonly bucket: string;
  /** Rows that the server says to have unloaded. */
  readonly rows: number;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unread('is no JSON');
  }
}

function unread(why: string): AppError {
  return new AppError('WAREHOUSE_UNKNOWN', `The manifest of the unloaded files ${why}.`);
}
