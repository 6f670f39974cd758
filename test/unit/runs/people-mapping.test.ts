import { describe, expect, test } from 'vitest';
import type { HashOfRow, Identities, Person } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import { createPeopleMapping } from '../../../src/mapping/people/people-mapping.ts';

const SCOPE = { workspaceId: workspaceId(1n), environment: 'production', mode: 'full' } as const;
const HASHES = Buffer.from(Array.from({ length: 32 }, (_, index) => index));

/** Identities that only look at what they are given. */
function watching(seen: string[]): Identities {
  return {
    collect: () => ({
      add(_person: Person, row?: HashOfRow) {
        seen.push(row === undefined ? 'none' : row.hashes.toString('hex', 16 * row.index, 16 * (row.index + 1)));
      },
      finish: () => ({}),
    }),
  } as unknown as Identities;
}

const PERSON: Person = { identities: [], attributes: { names: [], texts: [] }, setAt: 0n };

function hashesUnder(mark: string | undefined, cells: readonly string[] = ['one', 'two']) {
  const seen: string[] = [];
  const mapping = createPeopleMapping({
    ...{ identities: watching(seen), scope: SCOPE, columns: [], mark },
    roles: { identities: [], mpid: undefined, attributes: [] },
    mapRow: ([cell]) => (cell === 'bad' ? { rule: 'identity_missing', field: '', value: null, reason: '' } : PERSON),
  });
  const units = mapping.collect();
  for (const cell of cells) units.add([cell], HASHES);
  return { seen, mapped: units.finish() };
}

describe('the hash by which a profile knows a row', () => {
  test('is the row’s own, another one for another row', () => {
    const { seen } = hashesUnder('columns');
    expect(new Set(seen).size).toBe(2);
    expect(hashesUnder('columns').seen).toEqual(seen);
  });

  test('is another one under another mapping', () => {
    expect(hashesUnder('other columns').seen).not.toEqual(hashesUnder('columns').seen);
  });

  test('is left to the identities where a column says nothing of the person', () => {
    expect(hashesUnder(undefined).seen).toEqual(['none', 'none']);
  });

  test('stays with its row where one before it is refused', () => {
    const { seen, mapped } = hashesUnder('columns', ['bad', 'two']);
    expect(seen).toEqual(hashesUnder('columns').seen.slice(1));
    expect([mapped.accepted, mapped.refused.map(({ index }) => index)]).toEqual([[1], [0]]);
  });
});
