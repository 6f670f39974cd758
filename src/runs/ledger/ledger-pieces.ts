import type { Micros } from '../../kernel/index.ts';
import type { EarlyRows } from './early-rows.ts';
import { KEY_BYTES, NO_KEYS, type TakenRows } from './row-ledger.ts';
import type { HashColumns, LedgerPiece } from './stored-hashes.ts';

export interface PieceFacts {
  /** The columns by which rows are recognised, those of the keys first. */
  readonly columns: readonly HashColumns[];
  readonly early: Pick<EarlyRows, 'before'> | undefined;
  /** Instant before which all rows lie. */
  readonly end: Micros | undefined;
}

/**
 * Yields the rows of one transaction as rows of the ledger, none of them empty: early rows apart, and each set of columns by
 * itself.
 */
export function* ledgerPieces(
  taken: TakenRows & { readonly afterRows: number },
  { columns, early, end }: PieceFacts,
): Generator<LedgerPiece, void, undefined> {
  const [leftOut = NO_KEYS, ...leftOutByFormer] = taken.deduplicated;
  const pieces = [
    { place: 0, endsBefore: early?.before, delivered: keysWhere(taken, true), deduplicated: NO_KEYS },
    { place: 0, endsBefore: end, delivered: keysWhere(taken, false), deduplicated: leftOut },
    ...leftOutByFormer.map((deduplicated, at) => {
      return { place: at + 1, endsBefore: end, delivered: NO_KEYS, deduplicated };
    }),
  ];
  let { afterRows } = taken;
  for (const { place, ...piece } of pieces) {
    const rows = (piece.delivered.length + piece.deduplicated.length) / KEY_BYTES;
    if (rows > 0) yield { ...piece, columns: columns[place] as HashColumns, afterRows };
    afterRows += rows;
  }
}

function keysWhere({ keys, early }: TakenRows, isEarly: boolean): Uint8Array {
  if (early === undefined) return isEarly ? NO_KEYS : keys;
  const wanted = Number(isEarly);
  const kept = new Uint8Array(early.filter((mark) => mark === wanted).length * KEY_BYTES);
  let at = 0;
  for (const [index, mark] of early.entries()) {
    if (mark !== wanted) continue;
    kept.set(keys.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES), at);
    at += KEY_BYTES;
  }
  return kept;
}
