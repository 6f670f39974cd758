import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/kernel/index.ts';
import { createRowHash, HASH_BYTES, type RowHash } from '../../../src/mapping/cells/row-hash.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from '../../../src/runs/ledger/hash-multiset.ts';
import { ledgerPieces } from '../../../src/runs/ledger/ledger-pieces.ts';
import { keepRows } from '../../../src/runs/ledger/row-pack.ts';
import { createSieve, type SievePlan } from '../../../src/runs/ledger/sieve.ts';
import type { Column } from '../../../src/warehouse/index.ts';

const key = new Secret('a key');
const COLUMNS: readonly Column[] = ['id', 'city'].map((name) => ({ name, type: 'text', nativeType: '' }));
const whole = createRowHash({ key, columns: COLUMNS, positions: [0, 1] });
const byId = createRowHash({ key, columns: COLUMNS, positions: [0] });
const byCity = createRowHash({ key, columns: COLUMNS, positions: [1] });

type Row = readonly [string, string];

function bytesOf(hash: RowHash, ...rows: readonly Row[]): Buffer {
  const bytes = Buffer.alloc(rows.length * HASH_BYTES);
  for (const [index, row] of rows.entries()) hash.write(hash.textOf(row), bytes, index * HASH_BYTES);
  return bytes;
}

async function multiset(hash: RowHash, ...rows: readonly Row[]): Promise<HashMultiset> {
  const { buffer, byteOffset, length } = bytesOf(hash, ...rows);
  const words = new Uint32Array(buffer.slice(byteOffset, byteOffset + length));
  return await loadHashes(words.length / HASH_WORDS, async (onHashes) => onHashes(words));
}

const knowing = async (
  hash: RowHash,
  { own = [], others = [] }: { own?: readonly Row[]; others?: readonly Row[] },
) => ({
  hash,
  own: await multiset(hash, ...own),
  others: await multiset(hash, ...others),
});
const NOTHING = { hash: whole, own: NO_HASHES, others: NO_HASHES };

function sift(plan: Pick<SievePlan, 'known'> & Partial<SievePlan>, ...rows: readonly Row[]) {
  const sieve = createSieve({ whole, early: undefined, ...plan });
  const passed = rows.filter((row) => sieve.pass(row));
  const { passed: count, found, bytes, hashes } = sieve;
  return { passed, count, found, bytes, hashes, ...sieve.close() };
}

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');
const [A, B, C]: readonly Row[] = [
  ['a', 'Rome'],
  ['b', 'Rome'],
  ['c', 'Bern'],
];
const rows = [A, B, C] as readonly [Row, Row, Row];

describe('a sieve', () => {
  test('lets all rows pass that nobody took, with their keys and themselves', () => {
    const {
      passed,
      count,
      found,
      bytes,
      hashes,
      keys,
      early,
      deduplicated,
      rows: kept,
    } = sift({ known: [NOTHING] }, ...rows);
    expect(passed).toEqual(rows);
    expect([count, found]).toEqual([3, 0]);
    expect(hex(keys)).toBe(hex(bytesOf(whole, ...rows)));
    expect(hex(hashes).startsWith(hex(keys))).toBe(true);
    expect(early).toBeUndefined();
    expect(deduplicated.map(hex)).toEqual(['']);
    expect([0, 1, 2].map((index) => kept.row(index))).toEqual(rows);
    expect(bytes).toBe('s4:Romes1:a'.length * 3);
  });

  test('leaves out what this run took, without a word, and counts what others took, as often as they did', async () => {
    const [a, b, c] = rows;
    const known = [await knowing(whole, { own: [a], others: [b, a] })];
    const { passed, found, keys, deduplicated } = sift({ known }, a, b, c, b, a, a);
    expect(passed).toEqual([c, b, a]);
    expect(found).toBe(2);
    expect(hex(keys)).toBe(hex(bytesOf(whole, c, b, a)));
    expect(deduplicated.map(hex)).toEqual([hex(bytesOf(whole, b, a))]);
  });

  test('knows rows by a part of their columns, whose hashes nobody is to take for those of rows', async () => {
    const [a, b, c] = rows;
    const {
      passed,
      keys,
      hashes,
      rows: kept,
    } = sift({ known: [await knowing(byId, { own: [b] })] }, a, ['b', 'Oslo'], c);
    expect(passed).toEqual([a, c]);
    expect(hashes).toBeUndefined();
    expect(hex(keys)).toBe(hex(bytesOf(byId, a, c)));
    expect([kept.row(0), kept.row(1)]).toEqual([a, c]);
  });

  test('knows rows by former columns too, those of the run and those of others, and says which ones by which', async () => {
    const [a, b, c] = rows;
    const d: Row = ['d', 'Oslo'];
    const known = [
      await knowing(whole, { others: [c] }),
      await knowing(byId, { own: [a], others: [b] }),
      await knowing(byCity, { others: [d] }),
    ];
    const { passed, count, found, keys, deduplicated } = sift({ known }, a, b, c, d, a, b, c, d);
    expect(passed).toEqual([a, b, c, d]);
    expect([count, found]).toEqual([4, 3]);
    expect(hex(keys)).toBe(hex(bytesOf(whole, a, b, c, d)));
    expect(deduplicated.map(hex)).toEqual([hex(bytesOf(whole, c)), hex(bytesOf(byId, b)), hex(bytesOf(byCity, d))]);
  });

  test('keeps the keys of rows that former columns were asked for, and did not know', async () => {
    const [a, b, c] = rows;
    const known = [NOTHING, await knowing(byId, { others: [c] }), await knowing(byCity, { own: [['x', 'Oslo']] })];
    const { passed, keys } = sift({ known }, a, b);
    expect(passed).toEqual([a, b]);
    expect(hex(keys)).toBe(hex(bytesOf(whole, a, b)));
  });

  test('asks no former columns for a row that the newest ones know, nor a second set for one that the first knows', async () => {
    const [a] = rows;
    const known = [
      await knowing(whole, { own: [a] }),
      await knowing(byId, { others: [a] }),
      await knowing(byCity, { own: [a] }),
    ];
    expect(sift({ known }, a, a, a, a).passed).toHaveLength(1);
  });

  test('marks the rows that are early', () => {
    const { early } = sift({ known: [NOTHING], early: { isEarly: ([id]) => id !== 'b' } }, ...rows);
    expect(early).toEqual(Uint8Array.from([1, 0, 1]));
  });

  test('holds as many rows as there are, through all sizes of its buffers', async () => {
    const many = Array.from({ length: 3000 }, (_, n): Row => [`${n}`, 'x'.repeat(n % 97)]);
    const taken = many.filter((_, n) => n % 2 === 0);
    const known = [await knowing(whole, { others: taken })];
    const { passed, keys, deduplicated, rows: kept } = sift({ known }, ...many);
    expect(passed).toHaveLength(1500);
    expect(hex(keys)).toBe(hex(bytesOf(whole, ...passed)));
    expect(deduplicated.map(hex)).toEqual([hex(bytesOf(whole, ...taken))]);
    expect(passed.map((_, index) => kept.row(index))).toEqual(passed);
  });

  test('keeps text of several bytes a character', () => {
    const odd: Row = ['ä€😀', '\ud800'];
    const { bytes, rows: kept } = sift({ known: [NOTHING] }, odd, ...rows, ['€'.repeat(40_000), ''], odd);
    expect([kept.row(0), kept.row(1), kept.row(5)]).toEqual([odd, rows[0], odd]);
    expect(kept.row(4)).toEqual(['€'.repeat(40_000), '']);
    expect(bytes).toBeGreaterThan(120_000);
  });

  test('needs columns that say which rows are the same', () => {
    const error = expect.objectContaining({ code: 'INTERNAL', message: 'No columns identify the rows.' });
    expect(() => createSieve({ whole, known: [], early: undefined })).toThrow(error);
  });
});

test('rows of which no text is kept come as they are', () => {
  expect(keepRows(rows).row(1)).toBe(rows[1]);
});

describe('pieces of the ledger', () => {
  const key16 = (n: number) => Buffer.alloc(HASH_BYTES, n);
  const keys = Buffer.concat([key16(1), key16(2), key16(3)]);
  const columns = [whole, byId, byCity];
  const piecesOf = (taken: { early?: Uint8Array; deduplicated?: readonly Uint8Array[]; keys?: Uint8Array }) =>
    [
      ...ledgerPieces(
        { keys, deduplicated: [], afterRows: 100, ...taken },
        { columns, early: taken.early && { before: 5n }, end: 9n },
      ),
    ].map(({ columns: { names }, endsBefore, afterRows, delivered, deduplicated }) =>
      [names, endsBefore, afterRows, hex(delivered), hex(deduplicated)].join(' '),
    );
  const line = (hash: RowHash, times: string, [delivered = '', deduplicated = '']: readonly string[]) =>
    `${hash.names} ${times} ${delivered} ${deduplicated}`;

  test('are one where no row is early', () => {
    expect(piecesOf({})).toEqual([line(whole, '9 100', [hex(keys)])]);
    expect(piecesOf({ deduplicated: [key16(7)] })).toEqual([line(whole, '9 100', [hex(keys), hex(key16(7))])]);
  });

  test('are those of early rows, of late ones, and of each set of columns that rows were left out by', () => {
    const deduplicated = [key16(7), Buffer.concat([key16(8), key16(8)]), key16(9)];
    expect(piecesOf({ early: Uint8Array.from([1, 0, 1]), deduplicated })).toEqual([
      line(whole, '5 100', [hex(key16(1)) + hex(key16(3))]),
      line(whole, '9 102', [hex(key16(2)), hex(key16(7))]),
      line(byId, '9 104', ['', hex(key16(8)) + hex(key16(8))]),
      line(byCity, '9 106', ['', hex(key16(9))]),
    ]);
  });

  test('are none without rows', () => {
    expect(piecesOf({ keys: Buffer.alloc(0), deduplicated: [Buffer.alloc(0), Buffer.alloc(0)] })).toEqual([]);
    expect(piecesOf({ early: Uint8Array.from([1, 1, 1]) })).toEqual([line(whole, '5 100', [hex(keys)])]);
  });
});
