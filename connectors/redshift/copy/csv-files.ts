// Files that COPY loads: CSV in gzip. https://docs.aws.amazon.com/redshift/latest/dg/copy-parameters-data-format.html#copy-csv
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { AppError } from '../../../src/kernel/index.ts';
import type { KeyCell } from '../../../src/warehouse/index.ts';

const compress = promisify(gzip);

/** Characters of one file before compression: several files are loaded in parallel, and one is in memory at a time. */
const FILE_CHARS = 4 * 1024 * 1024;

/** Yields the files of the rows. Throws WAREHOUSE_DATA for a text that COPY cannot load. */
export async function* csvFiles(
  rows: Iterable<readonly KeyCell[]>,
  nullText: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let part = '';
  for (const row of rows) {
    for (let index = 0; index < row.length; index++) part += (index > 0 ? ',' : '') + csvField(row[index], nullText);
    part += '\n';
    if (part.length < FILE_CHARS) continue;
    yield await compress(part, { level: constants.Z_BEST_SPEED });
    part = '';
  }
  if (part !== '') yield await compress(part, { level: constants.Z_BEST_SPEED });
}

/** Quotes every text, the empty one too. Within quotes only a quote is special; a backslash is not. */
function csvField(cell: KeyCell | undefined, nullText: string): string {
  if (cell === null || cell === undefined) return nullText;
  if (typeof cell === 'bigint') return String(cell);
  if (cell.includes('\0')) throw endsRow();
  return `"${cell.replaceAll('"', '""')}"`;
}

function endsRow(): AppError {
  const message =
    'A key contains the character U+0000, at which COPY would end the row. Leave such rows out of the model.';
  return new AppError('WAREHOUSE_DATA', message);
}
