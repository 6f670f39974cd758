import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProfileMemory } from '../../../src/identity/resolve/chunk-memory.ts';
import { ProfileTable } from '../../../src/identity/resolve/profile-table.ts';

const make = (mpid: bigint) => ({ mpid }) as ProfileMemory;

function bytesOf(mpid: bigint): Buffer {
  const bytes = Buffer.alloc(11);
  bytes.writeBigInt64BE(mpid, 3);
  return bytes;
}

const WAYS = {
  get: (table: ProfileTable, mpid: bigint) => table.get(mpid),
  meet: (table: ProfileTable, mpid: bigint) => table.meet(mpid, make),
  meetAt: (table: ProfileTable, mpid: bigint) => table.meetAt(bytesOf(mpid), 3, make),
};

const EDGES = [0n, -1n, 2n ** 32n, 2n ** 32n - 1n, -(2n ** 32n), 2n ** 63n - 1n, -(2n ** 63n), 1n, 2n ** 31n];

test('a table of profiles is a map by MPID, by number and by bytes, in the order they were met', () => {
  const mpid = fc.oneof(
    fc.constantFrom(...EDGES),
    fc.bigInt({ min: -50n, max: 50n }),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  );
  const step = fc.record({ mpid, way: fc.constantFrom('meet' as const, 'meetAt' as const, 'get' as const) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const table = new ProfileTable();
      const map = new Map<bigint, ProfileMemory>();
      for (const { mpid, way } of steps) {
        const known = map.get(mpid);
        const found = WAYS[way](table, mpid);
        expect(found).toEqual(known ?? (way === 'get' ? undefined : { mpid }));
        if (found !== undefined) map.set(mpid, known ?? found);
        expect(found).toBe(map.get(mpid));
      }
      expect([...table.values()]).toEqual([...map.values()]);
      expect(table.size).toBe(map.size);
    }),
  );
});

test('a table of profiles holds thousands whose MPIDs follow each other', () => {
  const table = new ProfileTable();
  const mpids = Array.from({ length: 20_000 }, (_, n) => (BigInt(n >> 12) << 22n) | BigInt(n & 4095));
  for (const mpid of mpids) table.meetAt(bytesOf(mpid), 3, make);
  expect(table.size).toBe(mpids.length);
  for (const mpid of mpids) expect(table.get(mpid)?.mpid).toBe(mpid);
  expect(table.get(5n << 40n)).toBeUndefined();
});
