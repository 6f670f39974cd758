// Columns that rows were recognised by when they were delivered, where the model has other ones by now.
import { AppError, type Secret } from '../../kernel/index.ts';
import { cellForm, createRowHash, isSameForm, type RowHash } from '../../mapping/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { FaultSubject } from '../lifecycle/fault-subject.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { StoredColumns } from './stored-hashes.ts';

export interface FormerRequest {
  /** Key of the installation. */
  readonly key: Secret;
  readonly columns: readonly Column[];
  readonly pipeline: RunSnapshot['pipeline'];
  /** Hash of the columns by which rows are recognised from now on. */
  readonly newest: RowHash;
  /** Columns of the hashes in the ledger. */
  readonly stored: readonly StoredColumns[];
}

export interface FormerColumns {
  /** Hashes of the former columns over the rows of now. Those with most columns come first: their rows agree in more. */
  readonly hashes: readonly RowHash[];
  readonly warnings: readonly Notice[];
}

/**
 * Returns the hashes by which a run recognises rows of former columns. Rows are not recognised by a column that is gone or has
 * another type. Events would then be delivered twice, so their runs throw MODEL_INVALID. User attributes that are delivered
 * again stay the same, so their runs go on with a warning.
 */
export function formerColumns(request: FormerRequest): FormerColumns {
  const { pipeline, newest, stored, columns } = request;
  const losses = lossesOf(request);
  if (losses.length > 0 && pipeline.pipelineType === 'events') throw unrecognised(losses, request);
  const former = [...new Set(stored.map(({ names }) => names))]
    .filter((names) => names !== newest.names)
    .map(parseTexts)
    .filter((names) => names.every((name) => findColumn(columns, name) !== undefined))
    .sort((left, right) => right.length - left.length);
  return {
    hashes: former.map((names) => formerHash(names, request)),
    warnings: [
      ...(losses.length === 0 ? [] : [{ message: deliveredAgain(losses) }]),
      ...(pipeline.rowKey === undefined ? gainedColumns(newest, former) : []),
    ],
  };
}

/** Says of each column by which rows are no longer recognised what became of it. */
function lossesOf({ columns, stored }: FormerRequest): readonly string[] {
  const losses = stored.flatMap(({ names, types }) => {
    const forms = types === null ? [] : parseTexts(types);
    return parseTexts(names).map((name, index) => lossOf(name, forms[index], findColumn(columns, name)));
  });
  return [...new Set(losses.filter((loss) => loss !== undefined))];
}

function lossOf(name: string, form: string | undefined, column: Column | undefined): string | undefined {
  if (column === undefined) return `the model has no column "${name}" any more`;
  const now = cellForm(column);
  return form === undefined || isSameForm(form, now)
    ? undefined
    : `the type of the column "${name}" changed from ${form} to ${now}`;
}

function formerHash(names: readonly string[], { key, columns }: FormerRequest): RowHash {
  const former = names.flatMap((name) => findColumn(columns, name) ?? []);
  const positions = former.map((column) => columns.indexOf(column));
  const named = columns.map((column, at) => ({ ...column, name: names[positions.indexOf(at)] ?? column.name }));
  return createRowHash({ key, columns: named, positions });
}

function unrecognised(losses: readonly string[], { columns, pipeline }: FormerRequest): AppError {
  const has = columns.map((column) => column.name).join(', ');
  const message =
    `Delivered rows would not be recognised and would be delivered again, because ${losses.join(' and ')}. The ` +
    `columns of the model are: ${has}. Restore the former columns in the model, with a CAST to the former type if it ` +
    `changed, or ${otherWay(pipeline.syncMode)}`;
  return new AppError('MODEL_INVALID', message, { subject: 'pipeline' satisfies FaultSubject });
}

function otherWay({ type, lookback }: RunSnapshot['pipeline']['syncMode']): string {
  if (type === 'full') return 'trigger the pipeline: its next run delivers all rows again.';
  const shorter = lookback === undefined ? '' : 'PUT the pipeline without its lookback, or ';
  return `${shorter}reset the pipeline: its next run delivers everything from \`from\` again.`;
}

function deliveredAgain(losses: readonly string[]): string {
  return (
    `Delivered rows are not recognised and are delivered again, because ${losses.join(' and ')}. ` +
    'Their attributes are set to the current values of the model.'
  );
}

/** Warns of columns that are newer than rows in the ledger. */
function gainedColumns(newest: RowHash, former: readonly (readonly string[])[]): readonly Notice[] {
  const known = former.map((names) => new Set(names.map((name) => name.toLowerCase())));
  const gained = parseTexts(newest.names).filter((name) => known.some((names) => !names.has(name.toLowerCase())));
  if (gained.length === 0) return [];
  const named = gained.map((name) => `"${name}"`).join(', ');
  const message =
    `The model has the new ${named} since rows were delivered that this run reads again. Rows are recognised by the columns ` +
    'that they had then and are not delivered again. To load the new columns of these rows, reset the pipeline.';
  return [{ message }];
}

/** Reads the JSON text of `RowHash.names` or `RowHash.types`. */
function parseTexts(names: string): readonly string[] {
  return JSON.parse(names) as readonly string[];
}
