import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../src/cli/dsr/read-csv.ts';

describe('rows by the names of the first line', () => {
  test.each([
    ['a,b\n1,2\n', [{ a: '1', b: '2' }]],
    ['\uFEFFa , b\r\n 1,2 \r\n', [{ a: '1', b: '2' }]],
    ['a,b\n"1, ""x""\ny",2', [{ a: '1, "x"\ny', b: '2' }]],
    ['a,b\n" 1 ",2', [{ a: '1', b: '2' }]],
    [
      'a,b\r\n1,2\n3,4',
      [
        { a: '1', b: '2' },
        { a: '3', b: '4' },
      ],
    ],
    [
      'a,b\n1\n\n , \n,\n2,3',
      [
        { a: '1', b: '' },
        { a: '2', b: '3' },
      ],
    ],
    ['a,b\r1,2\r', [{ a: '1', b: '2' }]],
    ['a\n', []],
    [
      'a,__proto__\n1,2',
      [
        Object.fromEntries([
          ['a', '1'],
          ['__proto__', '2'],
        ]),
      ],
    ],
  ])('%j', (text, rows) => {
    expect(readCsv(text)).toEqual(rows);
  });
});

describe('a text that is no CSV is refused with its place', () => {
  test.each([
    ['', 'The CSV is empty; its first line must name the columns.'],
    ['\uFEFF\n\n', 'The CSV is empty; its first line must name the columns.'],
    ['a,b\n1,2\n\n1,2,3\n', 'Row 2 of the CSV has 3 fields, but there are 2 columns.'],
    ['a,b\n"1\n",2\nx"y,2\n', 'Line 4 of the CSV has a misplaced quotation mark.'],
    ['a,b\n"1"x,2\n', 'Line 2 of the CSV has a misplaced quotation mark.'],
    ['a,b\n1,2\n "1",2\n', 'Line 3 of the CSV has a misplaced quotation mark.'],
    ['\uFEFFä,b\r\n1,2\r\n1,"2\r\n3\r\n4\r\n', 'Line 3 of the CSV has a misplaced quotation mark.'],
    ['a,b\r1,2\r"1"x,2\r', 'Line 3 of the CSV has a misplaced quotation mark.'],
    ['a,b\n1,"2\n', 'Line 2 of the CSV has a misplaced quotation mark.'],
  ])('%j', (text, message) => {
    expect(() => readCsv(text)).toThrow(message);
  });
});
