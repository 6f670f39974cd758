import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeholder } from '../../../connectors/_shared/places.ts';
import { bindSql, inlineSql } from '../../../connectors/redshift/render.ts';

const [start, end] = [placeholder('range_start'), placeholder('range_end')];
const BOUNDS = { range_start: '2024-01-01T00:00:00.000000', range_end: 12n };

describe('a bound value', () => {
  it('becomes $n in the order of the places, once however often it stands there', () => {
    const sql = `SELECT ${end}, ${start}, ${end}`;
    expect(bindSql({ sql, parameters: BOUNDS })).toEqual({
      text: 'SELECT $1, $2, $1',
      values: ['12', '2024-01-01T00:00:00.000000'],
    });
  });

  it('counts only what is there', () => {
    expect(bindSql({ sql: `SELECT ${end}`, parameters: BOUNDS })).toEqual({ text: 'SELECT $1', values: ['12'] });
  });

  it('leaves the customer’s text alone, whatever it quotes or names', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('$1', ':range_start', '?', "'", '"', '--', '$$', '@x'),
        (text, sign) => {
          const own = `${text}${sign}${text}`.replaceAll('\0', '');
          expect(bindSql({ sql: `${own}${start}${own}`, parameters: BOUNDS }).text).toBe(`${own}$1${own}`);
        },
      ),
    );
  });

  it.each([
    '2024-01-01T00:00:00.000000',
    '2024-01-01T00:00:00.000000Z',
    '2024-01-01T00:00:00.000000+05:30',
    '2024-01-01',
    '0',
    '-9223372036854775808',
  ])('%s becomes a literal for Redshift', (value) =>
    expect(inlineSql({ sql: `SELECT ${start}`, parameters: { range_start: value } })).toBe(`SELECT '${value}'`),
  );

  it.each([
    "'",
    "1'; DROP TABLE x; --",
    '2024-01-01 OR 1=1',
    '1e5',
    '',
    '\\',
    '2024-01-01T00:00:00',
    '１',
    '1\n',
    'infinity',
    '99999999999999999999',
  ])('%j never does', (value) => {
    const statement = { sql: `SELECT ${start}`, parameters: { range_start: value } };
    expect(() => inlineSql(statement)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  it('is never written where it is no bound of a range, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const statement = { sql: `SELECT ${start}`, parameters: { range_start: value } };
        let text = '';
        try {
          text = inlineSql(statement);
        } catch {
          return;
        }
        expect(text).toMatch(/^SELECT '[\dT:.Z+-]+'$/);
      }),
    );
  });

  it.each(['SELECT \0', 'SELECT \0x\0', `SELECT ${start} \0`])('stands nowhere in %j: U+0000 is refused', (sql) => {
    for (const render of [bindSql, inlineSql]) {
      expect(() => render({ sql, parameters: BOUNDS })).toThrow(
        expect.objectContaining({ code: 'WAREHOUSE_SQL_INVALID' }),
      );
    }
  });
});
