import { AppError } from '../../kernel/index.ts';

/** RFC 4180: fields in quotes may hold commas, line breaks and doubled quotes. Rows by the names of the first line. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [head, ...rows] = recordsOf(text.replace(/^\uFEFF/, ''));
  if (head === undefined)
    throw new AppError('VALIDATION_FAILED', 'The CSV is empty: its first line names the columns.');
  const names = head.map((name) => name.trim());
  return rows.map((fields, index) => {
    if (fields.length > names.length) {
      const message = `Row ${index + 1} of the CSV has ${fields.length} fields, and there are ${names.length} columns.`;
      throw new AppError('VALIDATION_FAILED', message);
    }
    return Object.fromEntries(names.map((name, place) => [name, (fields[place] ?? '').trim()]));
  });
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;

function recordsOf(text: string): readonly (readonly string[])[] {
  const records: string[][] = [[]];
  for (let at = 0; at < text.length; ) {
    const { field, end, next } = fieldAt(text, at);
    records.at(-1)?.push(field);
    if (end !== ',') records.push([]);
    at = next;
  }
  return records.filter((record) => record.some((field) => field.trim() !== ''));
}

function fieldAt(text: string, at: number) {
  FIELD.lastIndex = at;
  const [, quoted, plain = '', end] = FIELD.exec(text) ?? [];
  if (end === undefined) {
    const line = text.slice(0, at).split('\n').length;
    throw new AppError('VALIDATION_FAILED', `Line ${line} of the CSV has a quotation mark where none may stand.`);
  }
  return { field: quoted === undefined ? plain : quoted.replaceAll('""', '"'), end, next: FIELD.lastIndex };
}
