// The steps of examples/customers-to-profiles, typed as they stand there.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { answers, beginGuide, blocksOf } from '../support/runner/guide-shell.ts';

const PAGE = join(ROOT, 'examples/customers-to-profiles/README.md');

test('customers of a DuckDB file become profiles, step by step', async () => {
  const [begin = '', names = '', make = '', define = '', look = '', run = '', again = '', person = '', ...more] =
    blocksOf(PAGE, 'Step by step');
  expect(more).toEqual([]);
  await using guide = await beginGuide(begin, names);
  const { type } = guide;
  expect(answers(await type(make))).toEqual([{ customers: 8 }]);
  expect(answers(await type(define))).toMatchObject([
    { id: 'customer-file', status: 'healthy' },
    { id: 'customers', status: 'valid' },
    { id: 'customers-to-profiles', status: 'idle', errors: [] },
  ]);
  const [preview, dryRun] = answers(await type(look));
  expect(preview).toMatchObject({ rows: [['c-1001', ...Array(6).fill(expect.anything())], expect.any(Array)] });
  expect(dryRun).toMatchObject({ row_count: 7, failed_records: [{ rule: 'identity_missing' }] });
  const first = await type(run);
  expect(first).toMatch(/^status +success$/m);
  expect(first).toMatch(/^extracted +7$/m);
  expect(first).toMatch(/^failed +1$/m);
  expect(first).toContain('1 rows have no');
  expect(first).toContain('identity_missing');
  const second = await type(again);
  expect(second).toMatch(/^status +success$/m);
  expect(second).toMatch(/^extracted +2$/m);
  expect(answers(await type(person))).toMatchObject([
    { items: [{ attributes: expect.arrayContaining([expect.objectContaining({ name: 'seats', value: 40 })]) }] },
  ]);
}, 900_000);
