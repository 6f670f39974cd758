import { describe, expect, it } from 'vitest';
import { isCutOff, parseColumnShape, parseShape } from '../../../connectors/databricks/rows/shapes.ts';

describe('a type as the server writes it', () => {
  it.each([
    ['boolean', 'boolean'],
    ['tinyint', 'integer'],
    ['decimal(38,18)', 'decimal'],
    ['float', 'double'],
    ['varchar(20)', 'text'],
    ['interval year to month', 'text'],
    ['void', 'text'],
    ['timestamp', 'timestamp_tz'],
    ['timestamp_ntz', 'timestamp'],
    ['time(6)', 'time'],
    ['variant', 'json'],
    ['geometry(4326)', 'unknown'],
    ['object<a int>', 'unknown'],
  ])('%s is %s', (nativeType, type) => {
    expect(parseShape(nativeType)).toEqual({ type, nativeType });
  });

  it('is a tree where it holds others', () => {
    expect(parseShape('map<string,array<struct<a:decimal(9,2),b c:map<int,date>>>>')).toMatchObject({
      type: 'map',
      entry: {
        key: { type: 'text' },
        value: {
          type: 'list',
          item: {
            type: 'struct',
            fields: [
              { name: 'a', shape: { type: 'decimal', nativeType: 'decimal(9,2)' } },
              { name: 'b c', shape: { type: 'map', entry: { key: { type: 'integer' }, value: { type: 'date' } } } },
            ],
          },
        },
      },
    });
  });

  it('of a spatial column is text, and inside another type has none', () => {
    expect(parseColumnShape('geography(4326)')).toEqual({ type: 'text', nativeType: 'geography(4326)' });
    expect(parseColumnShape('struct<at:geometry(0)>')).toMatchObject({ type: 'json' });
  });

  it('is cut off where fields are left out, at any depth', () => {
    expect(isCutOff('array<struct<a:int,... 3 more fields>>')).toBe(true);
    expect(isCutOff('struct<a:int>')).toBe(false);
  });

  it.each(['struct<a:int,... 3 more fields>', 'struct<a<b:int>', 'struct<a:b:int>', 'struct<>'])(
    '%s cannot be told, and is read as JSON',
    (nativeType) => expect(parseShape(nativeType)).toEqual({ type: 'json', nativeType }),
  );
});
