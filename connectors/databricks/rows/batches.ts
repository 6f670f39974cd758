// The server's sets of rows as readers of their cells.
import { AppError, itemAt } from '../../../src/kernel/index.ts';
import type { Metadata, RowSet, Sdk } from '../sdk.ts';
import { arrowReader, type CellReader } from './arrow-columns.ts';
import type { Shape } from './shapes.ts';
import { valuesOf, wireReader } from './wire-columns.ts';

export interface Batch {
  readonly rows: number;
  readonly readers: readonly CellReader[];
}

export type OpenBatches = (rows: RowSet) => readonly Batch[];

/**
 * Returns a function that opens the sets of one statement.
 * Throws WAREHOUSE_CONFIG for links to other hosts, which were not requested.
 */
export function batchOpener(
  sdk: Sdk,
  { resultFormat, arrowSchema, lz4Compressed }: Metadata,
  shapes: readonly Shape[],
): OpenBatches {
  const { ARROW_BASED_SET, COLUMN_BASED_SET } = sdk.wire.TSparkRowSetType;
  if (resultFormat === ARROW_BASED_SET && lz4Compressed !== true && arrowSchema != null) {
    return (rows) => arrowBatches(sdk, { schema: arrowSchema, rows, shapes });
  }
  if (resultFormat === COLUMN_BASED_SET || resultFormat == null) return (rows) => [wireBatch(rows, shapes)];
  throw unrequested(resultFormat);
}

/** Returns a function that opens files, each of them a batch with its schema. */
export function fileOpener(sdk: Sdk, metadata: Metadata, shapes: readonly Shape[]): OpenBatches {
  if (metadata.lz4Compressed === true) throw unrequested(metadata.resultFormat);
  return (rows) => arrowBatches(sdk, { schema: undefined, rows, shapes });
}

function unrequested(resultFormat: Metadata['resultFormat']): AppError {
  return new AppError(
    'WAREHOUSE_UNKNOWN',
    `The warehouse sends results in a format that was not requested (${resultFormat}), which cannot be read.`,
  );
}

interface ArrowRows {
  /** Schema of the batches; undefined where each has its own. */
  readonly schema: Buffer | undefined;
  readonly rows: RowSet;
  readonly shapes: readonly Shape[];
}

function arrowBatches(sdk: Sdk, { schema, rows, shapes }: ArrowRows): readonly Batch[] {
  return (rows.arrowBatches ?? []).flatMap(({ batch, rowCount }) => {
    const found = decode(sdk, schema === undefined ? [batch] : [schema, batch]).map((data) => {
      requireColumns(data.children.length, shapes);
      return {
        rows: data.length,
        readers: data.children.map((child, at) => arrowReader(sdk, child, itemAt(shapes, at))),
      };
    });
    const sum = found.reduce((total, { rows: some }) => total + some, 0);
    if (sum !== Number(rowCount)) throw broken(`contains ${sum} rows but announces ${Number(rowCount)}`);
    return found;
  });
}

function decode({ arrow }: Sdk, parts: readonly Buffer[]) {
  try {
    return [...arrow.RecordBatchReader.from([...parts])].map(({ data }) => data);
  } catch (cause) {
    throw broken('cannot be read', cause);
  }
}

function wireBatch(rows: RowSet, shapes: readonly Shape[]): Batch {
  const columns = rows.columns ?? [];
  if (columns.length > 0) requireColumns(columns.length, shapes);
  return {
    rows: valuesOf(columns[0]).values.length,
    readers: columns.map((column, at) => wireReader(column, itemAt(shapes, at))),
  };
}

function requireColumns(found: number, shapes: readonly Shape[]): void {
  if (found === shapes.length) return;
  const message = `The model had ${shapes.length} columns when it was described and has ${found} now; a table was changed meanwhile.`;
  throw new AppError('WAREHOUSE_SESSION_LOST', message);
}

/** Returns the error for a batch that was damaged on the way; the next read requests it again. */
function broken(what: string, cause?: unknown): AppError {
  return new AppError('WAREHOUSE_SESSION_LOST', `The warehouse sent a batch of rows that ${what}.`, { cause });
}
