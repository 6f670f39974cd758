import { describe, expect, it } from 'vitest';
import type { FieldMapping, SyncMode } from '../../../src/pipelines/index.ts';
import { transformationMisfits, unmappedColumns } from '../../../src/pipelines/transformations/transformation-fit.ts';
import type { Column } from '../../../src/warehouse/index.ts';

const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });
const mappings: readonly FieldMapping[] = [
  { type: 'static', value: 'first_run', destination: 'events.event_type' },
  { type: 'column', source: 'Who', destination: 'user_identities.email' },
  { type: 'ignore', source: 'gone' },
];
const transformation = { id: 't', mappings };
const syncMode: SyncMode = {
  type: 'incremental',
  iterator: { field: 'AT', type: 'timestamp', declaredType: 'timestamp' },
};
const left = (...names: readonly string[]) =>
  unmappedColumns(names.map(text), { transformation, syncMode, rowKey: ['key'] }).map(({ message }) => message);

describe('columns that no mapping names', () => {
  it('are told in one notice', () => {
    expect(left('who', 'a', 'b')).toEqual([expect.stringContaining('names the columns "a", "b" of the model')]);
  });

  it('are none where all are mapped, ignored, or of use to the pipeline itself, in any case', () => {
    expect(left('WHO', 'GONE', 'at', 'Key')).toEqual([]);
  });

  it('are counted from the twenty-first on', () => {
    const names = Array.from({ length: 21 }, (_, index) => `c${index}`);
    expect(left(...names.slice(1))[0]).not.toContain('more');
    expect(left(...names)[0]).toContain('"c19" and 1 more of the model');
  });

  it('are what a user pipeline is made of', () => {
    expect(unmappedColumns([text('a')], { transformation: null, syncMode, rowKey: [] })).toEqual([]);
  });
});

describe('a transformation that does not suit its model', () => {
  it('is told of each column, and of none that is only ignored', () => {
    expect(transformationMisfits([text('who')], mappings)).toEqual([]);
    expect(transformationMisfits([text('other')], mappings)).toEqual([
      { path: 'mappings[1].source', message: 'the model has no column "Who"; it has other' },
    ]);
  });

  it('is told of a place that the schema of the batch does not have any more', () => {
    const old: readonly FieldMapping[] = [{ type: 'column', source: 'who', destination: 'events.data.bygone' }];
    expect(transformationMisfits([text('who')], old)[0]?.message).toContain('is not a field of any event');
  });
});
