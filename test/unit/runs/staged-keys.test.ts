import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOfName, nameOfKey } from '../../../src/runs/write-back/key-name.ts';
import { createStagedKeys } from '../../../src/runs/write-back/staged-keys.ts';
import type { Cell, KeyCell, StagedRow } from '../../../src/warehouse/index.ts';

const row = (key: readonly KeyCell[], mpid: bigint, readMpid: bigint | null = null): StagedRow => ({
  ...{ key, mpid, readMpid },
});

/** Rows of a key and, behind it, the MPID that was read. */
const addressing = (isWhole: boolean) => ({
  isWhole,
  keyOf: (cells: readonly Cell[]) => cells.slice(0, -1) as KeyCell[],
  readMpidOf: (cells: readonly Cell[]) => cells.at(-1) as bigint | null,
});

function staged(rows: readonly StagedRow[], isWhole = true) {
  const keys = createStagedKeys(addressing(isWhole));
  for (const { key, readMpid, mpid } of rows) keys.add([...key, readMpid], mpid);
  return taken(keys);
}

function taken(keys: ReturnType<typeof createStagedKeys>) {
  const { rows, ambiguous } = keys.take();
  expect([...rows]).toHaveLength(rows.length);
  return { rows: [...rows], ambiguous };
}

describe('rows that were resolved, by key', () => {
  it('go once a key, and once more for each other MPID that was read', () => {
    const rows = [row(['a'], 1n), row(['a'], 1n), row(['a'], 1n, 7n), row(['a'], 1n, 7n), row(['b'], 2n, 8n)];
    expect(staged(rows).rows).toEqual([row(['a'], 1n), row(['a'], 1n, 7n), row(['b'], 2n), row(['b'], 2n, 8n)]);
  });

  it('go for each MPID that rows of one key had, also for a hundred thousand of them', () => {
    const readMpids = Array.from({ length: 100_000 }, (_, n) => BigInt(n + 2));
    const rows = [...readMpids, ...readMpids].map((readMpid) => row(['a'], 1n, readMpid));
    expect(staged(rows).rows.map(({ readMpid }) => readMpid)).toEqual([null, ...readMpids]);
  });

  it('do not go where the MPID is right', () => {
    expect(staged([row(['a'], 1n, 1n)]).rows).toEqual([]);
    expect(staged([row(['a'], 1n, 1n), row(['a'], 1n)]).rows).toEqual([row(['a'], 1n)]);
  });

  it('do not go where one key is two people, whatever stands in the table', () => {
    for (const readMpid of [null, 1n, 5n]) {
      const { rows, ambiguous } = staged([row(['a'], 1n, readMpid), row(['a'], 2n), row(['b'], 3n)], false);
      expect(rows).toEqual([row(['b'], 3n)]);
      expect(ambiguous).toMatchObject([{ key: ['a'] }]);
    }
  });

  it('do not go where other rows of the table have their key, which is named once however often they come', () => {
    const keys = createStagedKeys(addressing(false), { shared: new Set([nameOfKey(['a'])]) });
    for (const mpid of [1n, 2n]) {
      keys.add(['a', null], mpid);
      keys.add(['b', null], mpid);
      const { rows, ambiguous } = taken(keys);
      expect([rows, ambiguous]).toEqual([[row(['b'], mpid)], mpid === 1n ? [{ key: ['a'], mpid }] : []]);
    }
  });

  it('go with two MPIDs where one key is two people and the rows are a portion, so that the warehouse knows', () => {
    const keys = createStagedKeys(addressing(false), { stagesOthers: true, shared: new Set([nameOfKey(['c'])]) });
    const rows = [
      row(['a'], 1n, 1n),
      row(['a'], 2n, 2n),
      row(['b'], 3n, 9n),
      row(['b'], 4n),
      row(['c'], 5n),
      row(['c'], 6n),
    ];
    for (const { key, readMpid, mpid } of rows) keys.add([...key, readMpid], mpid);
    expect(taken(keys)).toEqual({
      rows: [row(['a'], 1n), row(['a'], 2n), row(['b'], 3n), row(['b'], 3n, 9n), row(['b'], 4n)],
      ambiguous: [{ key: ['c'], mpid: 5n }],
    });
  });

  it('fill a portion by the number of keys that is asked for', () => {
    const keys = createStagedKeys(addressing(true), { portionKeys: 2 });
    keys.add(['a', null], 1n);
    keys.add(['a', 7n], 1n);
    expect(keys.isFull).toBe(false);
    keys.add(['b', null], 2n);
    expect(keys.isFull).toBe(true);
  });

  it('are emptied by taking them', () => {
    const keys = createStagedKeys(addressing(true));
    keys.add(['a', null], 1n);
    keys.take();
    expect(taken(keys)).toEqual({ rows: [], ambiguous: [] });
  });

  it('are told apart by their cells, never by how these are written one behind the other', () => {
    const cell = fc.oneof(
      fc.constant(null),
      fc.bigInt({ min: -99n, max: 99n }),
      fc.string({ unit: fc.constantFrom('1', ':', ';', '#', '-') }),
    );
    const key = fc.tuple(cell, cell);
    fc.assert(
      fc.property(key, key, (one, other) => {
        const isSame = one.every((value, index) => value === other[index]);
        expect(staged([row(one, 1n), row(other, 1n)]).rows).toHaveLength(isSame ? 1 : 2);
        expect(keyOfName(nameOfKey(one))).toEqual(one);
      }),
    );
  });

  it('are kept by the thousand', () => {
    const rows = Array.from({ length: 5000 }, (_, n) =>
      row([`k${n}`, BigInt(n)], BigInt(n + 1), n % 3 === 0 ? 9n : null),
    );
    const given = staged(rows).rows;
    expect(given.filter(({ readMpid }) => readMpid === null).map(({ key, mpid }) => [key, mpid])).toEqual(
      rows.map(({ key, mpid }) => [key, mpid]).filter(([, mpid]) => mpid !== undefined),
    );
  });

  it('hold what the contract of writing back asks for, whatever comes', () => {
    const resolved = fc.record({
      key: fc.tuple(fc.constantFrom('a', 'b', null), fc.constantFrom('x', 'y')),
      mpid: fc.constantFrom(1n, 2n),
      readMpid: fc.constantFrom(null, 1n, 2n, 3n),
    });
    fc.assert(
      fc.property(fc.array(resolved), fc.boolean(), (rows, isWhole) => {
        const given = staged(rows, isWhole).rows;
        const byKey = Map.groupBy(given, ({ key }) => JSON.stringify(key));
        for (const same of byKey.values()) {
          expect(same.filter(({ readMpid }) => readMpid === null)).toHaveLength(1);
          expect(new Set(same.map(({ readMpid }) => readMpid)).size).toBe(same.length);
          expect(new Set(same.map(({ mpid }) => mpid)).size).toBe(1);
          expect(same.every(({ mpid, readMpid }) => mpid !== readMpid)).toBe(true);
        }
      }),
    );
  });
});
