import type { RowHash } from '../../mapping/index.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from './hash-multiset.ts';
import { countHashes, type HashSelection, type HashSource, type LedgerReach, streamHashes } from './stored-hashes.ts';

/** Rows that were taken before, by the hash of one set of columns. */
export interface KnownRows {
  readonly hash: RowHash;
  /** Rows that this run took in an earlier attempt. */
  readonly own: HashMultiset;
  /** Rows that other runs took. */
  readonly others: HashMultiset;
}

export interface KnownBy {
  readonly hash: RowHash;
  /** The hash is over the columns by which rows are recognised from now on. */
  readonly isNewest: boolean;
}

/**
 * Loads the rows that were taken, by the hash of these columns. Rows that this run has deduplicated before are removed from
 * `others`, so that they are not deduplicated twice.
 */
export async function loadKnownRows(
  { store }: RunsDeps,
  { hash, isNewest }: KnownBy,
  { owner, after, others: isShared }: LedgerReach,
): Promise<KnownRows> {
  const selected = (source: HashSource): HashSelection => ({ owner, source, after, names: hash.names, isNewest });
  const load = async (source: HashSource) =>
    loadHashes(await countHashes(store, selected(source)), streamHashes(store, selected(source)));
  const own = await load('own');
  const others = isShared ? await load('others') : NO_HASHES;
  if (others.left > 0) {
    await streamHashes(
      store,
      selected('own deduplicated'),
    )((words) => {
      for (let at = 0; at < words.length; at += HASH_WORDS) others.take(words, at);
    });
  }
  return { hash, own, others };
}
