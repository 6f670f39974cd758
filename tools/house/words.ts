// The breaches of the rules of wording, by room and by kind, and the numbers that are waived for the time being.
import { closedCitations, libraryOf } from './citations.ts';
import { type Finding, readWorded, roomOf, type TextFile } from './read-files.ts';
import { retiredWords } from './retired-words.ts';
import { beginsWithVerb, docCommentsOf, isFragment, looseHeadings, looseHeads } from './wording.ts';

/** Kinds of breach, each with the way to mend it. */
export const KINDS = {
  citations: 'Give the reason in the comment itself, or cite a page of docs/.',
  fragments: 'Begin the comment or the heading with its subject.',
  retired: 'Use the term of the field, or a plain word: tools/house/retired-words.ts lists those to avoid.',
  verbless: 'Begin the comment of a function with a verb in the third person.',
} as const;
export type Kind = keyof typeof KINDS;

/** Breaches that are waived: room, kind, number. What is missing is 0. */
export type Waivers = Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>>;

export interface Breach extends Finding {
  readonly kind: Kind;
}

/** Returns every breach in the words of a repository. */
export function breachesOf(root: string): readonly Breach[] {
  const files = readWorded(root);
  const library = libraryOf(files);
  return files.flatMap((file) => [
    ...asBreaches('citations', closedCitations(file, library)),
    ...asBreaches('retired', retiredWords(file)),
    ...openingsOf(file),
  ]);
}

function openingsOf(file: TextFile): readonly Breach[] {
  if (file.path.endsWith('.md')) return asBreaches('fragments', looseHeadings(file));
  const heads = asBreaches('fragments', looseHeads(file));
  if (!file.text.includes('/**')) return heads;
  const docs = docCommentsOf(file).flatMap(({ isOnFunction, ...comment }) => {
    if (isFragment(comment.text)) return asBreaches('fragments', [comment]);
    return isOnFunction && !beginsWithVerb(comment.text) ? asBreaches('verbless', [comment]) : [];
  });
  return [...heads, ...docs];
}

function asBreaches(kind: Kind, findings: readonly Finding[]): readonly Breach[] {
  return findings.map((finding) => ({ ...finding, kind }));
}

/** Counts breaches by room and kind, in the form of the waivers. */
export function countBreaches(breaches: readonly Breach[]): Waivers {
  const rooms = Map.groupBy(breaches, ({ path }) => roomOf(path));
  return Object.fromEntries(
    [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([room, found]) => [room, countKinds(found)]),
  );
}

function countKinds(breaches: readonly Breach[]): Waivers[string] {
  const kinds = Map.groupBy(breaches, ({ kind }) => kind);
  return Object.fromEntries([...kinds].toSorted().map(([kind, found]) => [kind, found.length]));
}

/** Returns a line for each number that differs from its waiver; without any, the words are as agreed. */
export function complaintsOf(counts: Waivers, waivers: Waivers): readonly string[] {
  const rooms = [...new Set([...Object.keys(counts), ...Object.keys(waivers)])].toSorted();
  return rooms.flatMap((room) =>
    (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
      const [now, waived] = [counts[room]?.[kind] ?? 0, waivers[room]?.[kind] ?? 0];
      if (now === waived) return [];
      const remedy = now > waived ? KINDS[kind] : 'Lower the number: npm run words -- --write';
      return [`${room}: ${now} ${kind}, ${waived} waived. ${remedy}`];
    }),
  );
}

/** Returns the kinds of which the repository as a whole has more than its waivers; a move between rooms grows none. */
export function grownKinds(counts: Waivers, waivers: Waivers): readonly Kind[] {
  const total = (list: Waivers, kind: Kind) => Object.values(list).reduce((sum, room) => sum + (room[kind] ?? 0), 0);
  return (Object.keys(KINDS) as Kind[]).filter((kind) => total(counts, kind) > total(waivers, kind));
}

/** Returns the waivers for today's counts; of a kind that has grown as a whole, no room's number rises. */
export function renewedWaivers(counts: Waivers, waivers: Waivers): Waivers {
  const grown = grownKinds(counts, waivers);
  const renewed = Object.entries(counts).map(([room, numbers]) => {
    const waived = (kind: Kind, now = 0) => (grown.includes(kind) ? Math.min(now, waivers[room]?.[kind] ?? 0) : now);
    const kinds = (Object.keys(KINDS) as Kind[]).map((kind) => [kind, waived(kind, numbers[kind])] as const);
    return [room, Object.fromEntries(kinds.filter(([, number]) => number > 0))] as const;
  });
  return Object.fromEntries(renewed.filter(([, numbers]) => Object.keys(numbers).length > 0));
}
