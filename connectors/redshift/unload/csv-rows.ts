// Rows of one unloaded file: CSV of gzip, whose fields stand in quotes where they need them.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type CsvError, parse } from 'csv-parse';
import { AppError } from '../../../src/kernel/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import type { RawRow } from '../sdk.ts';

export interface CsvShape {
  readonly columns: number;
  /** Text of NULL. */
  readonly nullText: string;
  /** Longest row in characters. */
  readonly mostChars: number;
}

/**
 * Yields the rows of a file. Throws the error of its bytes, WAREHOUSE_SESSION_LOST where they are no whole gzip, and
 * WAREHOUSE_DATA for a row that is too long or is no CSV.
 */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
  { columns, nullText, mostChars }: CsvShape,
): AsyncGenerator<RawRow, void, undefined> {
  const parser = parse({ record_delimiter: '\n', relax_column_count: true, max_record_size: mostChars });
  // errors reach the loop through the parser, which the pipeline destroys with them
  pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), parser).catch(() => undefined);
  try {
    for await (const record of parser) yield rowOf(record as string[], columns, nullText);
  } catch (failure) {
    if (isOfCsv(failure)) throw ofCsv(failure, mostChars);
    throw codeOf(failure).startsWith('Z_') ? damaged(failure) : failure;
  }
}

function rowOf(fields: string[], columns: number, nullText: string): RawRow {
  if (fields.length !== columns) throw notCsv();
  const row: RawRow = fields;
  for (let index = 0; index < columns; index++) if (row[index] === nullText) row[index] = null;
  return row;
}

function isOfCsv(failure: unknown): failure is CsvError {
  return codeOf(failure).startsWith('CSV_');
}

function codeOf(failure: unknown): string {
  return String(fieldOf(failure, 'code'));
}

function damaged(cause: unknown): AppError {
  return new AppError('WAREHOUSE_SESSION_LOST', 'An unloaded file is cut off or damaged.', { cause });
}

/** Returns the error without its cause, whose text repeats cells. */
function ofCsv({ code }: CsvError, mostChars: number): AppError {
  if (code !== 'CSV_MAX_RECORD_SIZE') return notCsv();
  return new AppError(
    'WAREHOUSE_DATA',
    `A row has more than ${mostChars} characters. Select fewer or shorter columns.`,
  );
}

function notCsv(): AppError {
  return new AppError('WAREHOUSE_DATA', 'A file that the warehouse unloaded is no CSV of the columns of the model.');
}
