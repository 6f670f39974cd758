import { describe, expect, it } from 'vitest';
import { addressRows } from '../../../src/runs/write-back/address-rows.ts';
import type { Column, ColumnType, WriteBackModel } from '../../../src/warehouse/index.ts';

const MODEL: WriteBackModel = {
  sql: 'SELECT customer_id, email, MPID FROM shop.people',
  table: ['shop', 'people'],
  identities: [
    { column: 'customer_id', position: 0, type: 'customer_id' },
    { column: 'email', position: 1, type: 'email' },
  ],
  mpid: { column: 'MPID', position: 2 },
};

const columns = (...types: readonly ColumnType[]): readonly Column[] =>
  ['CUSTOMER_ID', 'EMAIL', 'MPID'].map((name, index) => ({
    ...{
      name,
      type: types[index] ?? 'text',
      nativeType: types[index] === 'integer' ? 'BIGINT' : (types[index] ?? 'text').toUpperCase(),
    },
  }));
const USUAL = columns('integer', 'text', 'decimal');

describe('rows of a table', () => {
  it('are found by all their identities', () => {
    const addressing = addressRows(MODEL, USUAL, undefined);
    expect(addressing.target).toEqual({ table: 'shop.people', key: USUAL.slice(0, 2), mpid: USUAL[2] });
    expect(addressing.isWhole).toBe(true);
    expect(addressing.keyOf([7, 'a@x.org', null])).toEqual([7n, 'a@x.org']);
    expect(addressing.keyOf([2n ** 60n, null, null])).toEqual([2n ** 60n, null]);
  });

  it('are found by those that row_key names, in any case', () => {
    const addressing = addressRows(MODEL, USUAL, ['email', 'Email']);
    expect(addressing.target.key).toEqual([USUAL[1]]);
    expect(addressing.isWhole).toBe(false);
    expect(addressing.keyOf([7, 'a@x.org', null])).toEqual(['a@x.org']);
  });

  it.each([
    ['1.0', '1'],
    ['1.00', '1'],
    ['10', '10'],
    ['100.50', '100.5'],
    ['0.00', '0'],
    ['-10.0', '-10'],
  ])('have the decimal %s as the key %s', (cell, key) => {
    const { keyOf, keyOfCells } = addressRows(MODEL, columns('decimal', 'text', 'integer'), undefined);
    expect(keyOf([cell, '1.0', null])).toEqual([key, '1.0']);
    expect(keyOfCells([cell, '1.0'])).toEqual([key, '1.0']);
  });

  it.each([
    [null, null],
    [7, 7n],
    ['7', 7n],
    ['7.00', 7n],
    [9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
    ['9223372036854775808', undefined],
    ['7.5', undefined],
    ['x', undefined],
  ])('hold %s as their MPID, or none', (cell, mpid) => {
    expect(addressRows(MODEL, USUAL, undefined).readMpidOf([1, 'a', cell])).toBe(mpid);
  });

  it.each([
    [columns('double', 'text', 'integer'), undefined, 'The column "CUSTOMER_ID" is of type DOUBLE'],
    [columns('text', 'text', 'double'), undefined, 'an MPID needs a numeric column that holds 64 bits'],
    [columns('text', 'text', 'text'), undefined, 'an MPID needs a numeric column that holds 64 bits'],
    [USUAL, ['mpid'], 'cannot contain MPID'],
    [USUAL, ['phone'], 'has no column "phone", which row_key names'],
    [USUAL.slice(0, 2), undefined, 'describes fewer columns'],
  ])('of columns that do not suit are refused (%#)', (given, rowKey, message) => {
    expect(() => addressRows(MODEL, given, rowKey)).toThrow(message);
  });
});
