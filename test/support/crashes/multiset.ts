/** The difference between `found` and what is expected; empty when both hold the same texts equally often. */
export interface Difference {
  /** Texts that are not there, or not often enough, with how many are missing. */
  readonly missing?: number;
  /** Texts that are there too often. */
  readonly duplicates?: number;
  readonly examples?: readonly string[];
}

const SHOWN = 5;

/** Compares every text: how often each is expected, and how often it was found. */
export function differenceOf(expected: Iterable<string>, found: Iterable<string>): Difference {
  const counts = new Map<string, number>();
  for (const text of expected) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const text of found) counts.set(text, (counts.get(text) ?? 0) - 1);
  const wrong = [...counts].filter(([, count]) => count !== 0);
  if (wrong.length === 0) return {};
  const sum = (sign: 1 | -1) => wrong.reduce((total, [, count]) => total + Math.max(0, count * sign), 0);
  return {
    missing: sum(1),
    duplicates: sum(-1),
    examples: wrong.slice(0, SHOWN).map(([text, count]) => `${-count > 0 ? '+' : ''}${-count} × ${text}`),
  };
}
