import { describe, expect, test } from 'vitest';
import { AppError, Secret } from '../../../src/kernel/index.ts';
import { cellForm, isSameForm } from '../../../src/mapping/cells/cell-form.ts';
import { createRowHash } from '../../../src/mapping/cells/row-hash.ts';
import type { SyncMode } from '../../../src/pipelines/index.ts';
import { formerColumns } from '../../../src/runs/ledger/former-columns.ts';
import { identifyingPositions } from '../../../src/runs/ledger/identifying-positions.ts';
import type { RunSnapshot } from '../../../src/runs/lifecycle/run-snapshot.ts';
import type { Column } from '../../../src/warehouse/index.ts';

const key = new Secret('a key');
const column = (name: string, type: Column['type'] = 'text', nativeType = ''): Column => ({ name, type, nativeType });
const text = (...names: readonly string[]) => names.map((name) => column(name));

interface Given {
  readonly columns: readonly Column[];
  readonly type?: RunSnapshot['pipeline']['pipelineType'];
  readonly syncMode?: SyncMode;
  readonly rowKey?: readonly string[];
}

const hashOf = (columns: readonly Column[]) => createRowHash({ key, columns, positions: [...columns.keys()] });

/** The ledger has hashes of the columns that `stored` lists. */
function former(
  { columns, type = 'events', syncMode = { type: 'full' }, rowKey }: Given,
  ...stored: (readonly Column[])[]
) {
  const pipeline = { pipelineType: type, syncMode, ...(rowKey !== undefined && { rowKey }) } as RunSnapshot['pipeline'];
  return formerColumns({ key, columns, pipeline, newest: hashOf(columns), stored: stored.map(hashOf) });
}

const namesOf = (found: ReturnType<typeof former>) => found.hashes.map(({ names }) => JSON.parse(names));
const messages = (found: ReturnType<typeof former>) => found.warnings.map(({ message }) => message);

function complaint(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return '';
}

describe('former columns', () => {
  test('are those of the ledger that are not the newest, each once, and those that agree in most first', () => {
    const found = former({ columns: text('a', 'b', 'c') }, text('a'), text('a', 'b', 'c'), text('b', 'a'), text('a'));
    expect(namesOf(found)).toEqual([['a', 'b'], ['a']]);
    expect(messages(found)).toEqual([
      'The model has the new "b", "c" since rows were delivered that this run reads again. Rows are recognised by the columns ' +
        'that they had then and are not delivered again. To load the new columns of these rows, reset the pipeline.',
    ]);
    expect(former({ columns: text('a') }, text('a'))).toEqual({ hashes: [], warnings: [] });
    expect(former({ columns: text('a') })).toEqual({ hashes: [], warnings: [] });
  });

  test('recognise a row by what it has in them, under the names that they had', () => {
    const [hash] = former({ columns: text('new', 'B', 'a') }, text('a', 'b')).hashes;
    expect(hash?.textOf(['x', '2', '1'])).toBe(hashOf(text('a', 'b')).textOf(['1', '2']));
    expect(hash?.textOf(['y', '2', '1'])).toBe(hash?.textOf(['x', '2', '1']));
    expect(hash?.textOf(['x', '1', '2'])).not.toBe(hash?.textOf(['x', '2', '1']));
  });

  test('that differ in case alone gain nothing, nor do those of a row_key', () => {
    expect(messages(former({ columns: text('A', 'b') }, text('a', 'B')))).toEqual([]);
    expect(messages(former({ columns: text('a', 'b'), rowKey: ['a', 'b'] }, text('a')))).toEqual([]);
  });

  test('that are gone stop events, with the way out of each kind of pipeline', () => {
    const lost = (syncMode: SyncMode) => complaint(() => former({ columns: text('a', 'c'), syncMode }, text('a', 'b')));
    const start =
      'MODEL_INVALID: Delivered rows would not be recognised and would be delivered again, because the model has no ' +
      'column "b" any more. The columns of the model are: a, c. Restore the former columns in the model, with a CAST to the ' +
      'former type if it changed, or ';
    const reset = 'reset the pipeline: its next run delivers everything from `from` again.';
    expect(lost({ type: 'full' })).toBe(`${start}trigger the pipeline: its next run delivers all rows again.`);
    expect(lost({ type: 'incremental' })).toBe(start + reset);
    expect(lost({ type: 'incremental', lookback: '1d' })).toBe(
      `${start}PUT the pipeline without its lookback, or ${reset}`,
    );
  });

  test('that are gone, or of another type, are all named, each once', () => {
    const columns = [column('a', 'integer'), column('d', 'date')];
    const stored = [text('a', 'b'), text('a', 'c'), [column('a', 'integer'), column('d', 'timestamp')]];
    expect(complaint(() => former({ columns }, ...stored))).toContain(
      'because the type of the column "a" changed from text to integer and the model has no column "b" any more and the model has no column ' +
        '"c" any more and the type of the column "d" changed from timestamp to date. The',
    );
  });

  test('that are gone are left out for user attributes, and others of them go on', () => {
    const found = former({ columns: text('a', 'c'), type: 'user_attributes' }, text('a', 'b'), text('a'), text('z'));
    expect(namesOf(found)).toEqual([['a']]);
    expect(messages(found)).toEqual([
      'Delivered rows are not recognised and are delivered again, because the model has no column "b" ' +
        'any more and the model has no column "z" any more. Their attributes are set to the current values of the model.',
      expect.stringContaining('the new "c"'),
    ]);
  });

  test('of another type are kept for user attributes: values of which the type says nothing are found', () => {
    const columns = [column('a', 'date'), column('b')];
    const found = former({ columns, type: 'user_attributes' }, text('a'));
    expect(namesOf(found)).toEqual([['a']]);
    expect(messages(found)).toEqual([expect.stringContaining('"a" changed from text to date'), expect.anything()]);
  });

  test('whose types nobody kept are taken for those of now', () => {
    const columns = [column('a', 'date')];
    const pipeline = { pipelineType: 'events', syncMode: { type: 'full' } } as RunSnapshot['pipeline'];
    const stored = [{ names: '["a"]', types: null }];
    expect(formerColumns({ key, columns, pipeline, newest: hashOf(columns), stored })).toEqual({
      hashes: [],
      warnings: [],
    });
  });
});

describe('the form of cells', () => {
  test.each<[Omit<Column, 'name'>, string]>([
    [{ type: 'text', nativeType: 'VARCHAR(9,2)' }, 'text'],
    [{ type: 'decimal', nativeType: 'DECIMAL(18,2)' }, 'decimal with 2 decimal places'],
    [{ type: 'decimal', nativeType: 'decimal(38, 10)' }, 'decimal with 10 decimal places'],
    [{ type: 'decimal', nativeType: 'NUMERIC' }, 'decimal'],
    [
      { type: 'list', nativeType: 'DECIMAL(9,3)[]', item: column('', 'decimal', 'DECIMAL(9,3)') },
      'list of decimal with 3 decimal places',
    ],
  ])('%o is said as %s', (given, said) => {
    expect(cellForm(given)).toBe(said);
  });

  test.each([
    ['integer', 'double', true],
    ['list of double', 'list of integer', true],
    ['text', 'text', true],
    ['integer', 'list of integer', false],
    ['integer', 'text', false],
    ['date', 'timestamp', false],
    ['timestamp', 'timestamp_tz', false],
    ['decimal with 2 decimal places', 'decimal with 3 decimal places', false],
  ])('%s and %s: alike is %s', (one, other, isAlike) => {
    expect([isSameForm(one, other), isSameForm(other, one)]).toEqual([isAlike, isAlike]);
  });
});

describe('columns by which a row_key recognises rows', () => {
  const at = { field: 'At', type: 'timestamp_tz', declaredType: 'timestamp_tz' } as const;
  const positions = (rowKey: readonly string[] | undefined, syncMode: SyncMode) =>
    identifyingPositions({ rowKey, syncMode } as RunSnapshot['pipeline'], text('at', 'id', 'City'));

  test('are its own with the iterator of an incremental pipeline, each once', () => {
    expect(positions(['city', 'ID'], { type: 'full' })).toEqual([2, 1]);
    expect(positions(['id'], { type: 'incremental', iterator: at })).toEqual([1, 0]);
    expect(positions(['id', 'at'], { type: 'incremental', iterator: at })).toEqual([1, 0]);
    expect(positions(['id'], { type: 'full', iterator: at })).toEqual([1]);
    expect(positions(['id'], { type: 'incremental' })).toEqual([1]);
    expect(positions(undefined, { type: 'incremental', iterator: at })).toBeUndefined();
  });

  test('must be columns of the model', () => {
    expect(complaint(() => positions(['id', 'name'], { type: 'full' }))).toBe(
      'MODEL_INVALID: The model has no column "name", which row_key names. Its columns are: at, id, City.',
    );
  });
});
