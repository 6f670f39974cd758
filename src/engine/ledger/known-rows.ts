import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../sync/index.ts';
import { type Column, findColumn } from '../../warehouse/index.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { RunSnapshot } from '../run-snapshot.ts';
import { HASH_WORDS, type HashMultiset, loadHashes, NO_HASHES } from './hash-multiset.ts';
import { createRowHash, type RowHash } from './row-hash.ts';
import { countHashes, type HashSelection, type HashSource, type LedgerReach, streamHashes } from './stored-hashes.ts';

/** Rows that were taken before, by the hash of one set of columns. */
export interface KnownRows {
  readonly hash: RowHash;
  /** What this run took in an earlier attempt. */
  readonly own: HashMultiset;
  /** What other runs took. */
  readonly others: HashMultiset;
}

export interface KnownBy {
  readonly hash: RowHash;
  /** The columns by which rows are recognised from now on. */
  readonly isNewest: boolean;
}

/** Loads what was taken by these columns; what this run has left out before is not there for it a second time. */
export async function loadKnownRows(
  { store }: EngineDeps,
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

/**
 * The hash of columns that the ledger was written with, over rows that have other columns by now. Throws MODEL_INVALID where
 * one of them is gone: no row would be recognised, and all of them would come twice.
 */
export function formerHash(
  { ledgerKey: key }: Pick<EngineDeps, 'ledgerKey'>,
  names: readonly string[],
  { columns, pipeline }: { readonly columns: readonly Column[]; readonly pipeline: RunSnapshot['pipeline'] },
): RowHash {
  const positions = names.map((name) => {
    const column = findColumn(columns, name);
    if (column === undefined) throw lostColumn(name, columns, pipeline);
    return columns.indexOf(column);
  });
  const named = columns.map((column, at) => ({ ...column, name: names[positions.indexOf(at)] ?? column.name }));
  return createRowHash({ key, columns: named, positions });
}

function lostColumn(name: string, columns: readonly Column[], { syncMode }: RunSnapshot['pipeline']): AppError {
  const has = columns.map((column) => column.name).join(', ');
  const message =
    `The model has no column "${name}" any more, and rows that were delivered before are recognised by it: all of them would ` +
    `be delivered again. Its columns are: ${has}. Give the model that column back, or ${otherWay(syncMode)}`;
  return new AppError('MODEL_INVALID', message);
}

function otherWay({ type, lookback }: RunSnapshot['pipeline']['syncMode']): string {
  if (type === 'full') return 'trigger the pipeline: its next run delivers all rows again.';
  const shorter = lookback === undefined ? '' : 'PUT the pipeline without its lookback, or ';
  return `${shorter}reset the pipeline: its next run delivers everything from \`from\` again.`;
}

/** What to say where rows have more columns than the ledger that knows them; `names` of the newest columns come first. */
export function gainedColumns([newest = '[]', ...former]: readonly string[]): readonly Notice[] {
  const known = former.map((names) => new Set(parseNames(names).map((name) => name.toLowerCase())));
  const gained = parseNames(newest).filter((name) => known.some((names) => !names.has(name.toLowerCase())));
  if (gained.length === 0) return [];
  const named = gained.map((name) => `"${name}"`).join(', ');
  const message =
    `The model has gained ${named} since rows were delivered that this run reads again. They are recognised by the columns ` +
    'that they had then, and are not delivered again: to load the new columns of these rows, reset the pipeline.';
  return [{ message }];
}

/** `RowHash.names` as a list. */
export function parseNames(names: string): readonly string[] {
  return JSON.parse(names) as readonly string[];
}
