import { expect, it } from 'vitest';
import { nameSql } from '../../../connectors/snowflake/names.ts';

it.each([
  ['SHOP', 'SHOP'],
  ['shop_1$', 'shop_1$'],
  ['my-db', '"my-db"'],
  ['"my-db"', '"my-db"'],
  ['"Shop"', '"Shop"'],
  ['"a""b"', '"a""b"'],
  ['a"b', '"a""b"'],
  ['"a"b"', '"""a""b"""'],
  ['"', '""""'],
  ['""', '""""""'],
])('the name %s is %s in SQL', (name, sql) => {
  expect(nameSql(name)).toBe(sql);
});
