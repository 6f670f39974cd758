import { expect, test } from 'vitest';
import { type Assertion, type Product, tabulate } from '../conformance/table.ts';

const A: Product = { name: 'A', proof: (sentence) => (sentence === 2 ? 'wire server' : 'emulator') };
const B: Product = { name: 'B', proof: () => 'real' };
const NONE: Product = { name: 'C', proof: undefined };

const of = (title: string, status: string, name = 'a test'): Assertion => ({
  ancestorTitles: title.split(' > '),
  title: name,
  status,
});

test('says of every sentence and product what it came to, and by what', () => {
  const table = tabulate(
    [
      of('A: 10. ten', 'passed'),
      of('B: 10. ten', 'passed'),
      of('B: 10. ten', 'skipped', 'sockets (waived: it has none)'),
      of('A: 2. two', 'passed'),
      of('B: 2. two (not run: its server is down)', 'skipped'),
      of('A: 3. three > a part (waived: cannot)', 'skipped'),
      of('B: 3. three > a part', 'failed'),
    ],
    [A, B, NONE],
  );
  expect(table.head).toEqual(['sentence', 'A', 'B', 'C']);
  expect(table.rows).toEqual([
    ['2. two', 'pass (wire server)', 'not run', 'no connector'],
    ['3. three', 'waived', 'FAILED: 1 of 1', 'no connector'],
    ['10. ten', 'pass (emulator)', 'pass (real, 1 waived)', 'no connector'],
  ]);
  expect(table.notes).toEqual([
    'A 3 waived: a part: cannot',
    'B 3 failed: a part > a test',
    'B 10 waived: sockets: it has none',
  ]);
  expect(table).toMatchObject({ failed: 1, notRun: 1 });
});

test('a sentence that has no test of a product is a failure of it', () => {
  expect(tabulate([of('A: 1. one', 'passed')], [A, B])).toMatchObject({
    rows: [['1. one', 'pass (emulator)', 'FAILED: no test']],
    failed: 1,
  });
});
