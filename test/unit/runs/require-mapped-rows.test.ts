import { expect, test } from 'vitest';
import type { MappedChunk } from '../../../src/runs/read/read-chunks.ts';
import { requireMappedRows } from '../../../src/runs/read/require-mapped-rows.ts';

const chunk = { mapped: { refused: [] } } as unknown as MappedChunk;
const refused = { extracted: 1_000, successful: 0, failed: 1_000, deduplicated: 0, erased: 0 };
const look = (progress: typeof refused) => () => requireMappedRows(progress, chunk);

test('a thousand rows of which none was mapped end the run', () => {
  expect(look(refused)).toThrow('None of the first ');
  expect(look({ ...refused, extracted: 999, failed: 999 })).not.toThrow();
});

test.each(['successful', 'deduplicated', 'erased'] as const)(
  'one row that is %s says that rows can be mapped',
  (kind) => {
    expect(look({ ...refused, extracted: 1_001, [kind]: 1 })).not.toThrow();
  },
);
