import { CsvError, parse } from 'csv-parse/sync';
import { AppError } from '../../kernel/index.ts';

/**
 * Reads RFC 4180, where fields in quotes may hold commas, line breaks and doubled quotes.
 * The first line names the fields of the rows.
 */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [head, ...rows] = recordsOf(text);
  if (head === undefined)
    throw new AppError('VALIDATION_FAILED', 'The CSV is empty; its first line must name the columns.');
  const names = head.map((name) => name.trim());
  return rows.map((fields, index) => {
    if (fields.length > names.length) {
      const message = `Row ${index + 1} of the CSV has ${fields.length} fields, but there are ${names.length} columns.`;
      throw new AppError('VALIDATION_FAILED', message);
    }
    return Object.fromEntries(names.map((name, place) => [name, (fields[place] ?? '').trim()]));
  });
}

function recordsOf(text: string): readonly (readonly string[])[] {
  try {
    return parse(text, {
      bom: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_records_with_empty_values: true,
    });
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const message = `Line ${lineOf(cause, text)} of the CSV has a misplaced quotation mark.`;
    // the cause is left out: its message repeats fields, which are identities
    throw new AppError('VALIDATION_FAILED', message);
  }
}

/** Returns the line at which the broken record begins. The parser's own count takes a line break of two characters for two. */
function lineOf({ bytes }: CsvError, text: string): number {
  return Buffer.from(text)
    .subarray(0, Number(bytes))
    .toString()
    .split(/\r\n|\n|\r/).length;
}
