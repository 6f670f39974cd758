// Citations that a reader of this repository cannot open. Their reason belongs in the comment itself or in a page of docs/.
import type { Finding, TextFile } from './read-files.ts';

const CLOSED = [
  /\brulings?\b/gi,
  /\bhouse plan\b/gi,
  /\b(?:issue|finding|ticket) #?\d+\b/gi,
  // a specification by its bare number: no part of a figure, a date, a path or a literal
  /(?<=^|[\s(;*])(?<!\d )00[012](?![\w[-]|[.,:]\d)/g,
];
const DOCUMENT = /(?<![\w./-])(?:\.\.?\/)*([\w./-]+\.md)\b/g;
const DECISION = /\bD-\d{3}\b/g;
/** A page defines a decision where a heading, an item or a row begins with its id. */
const DEFINED = /(?<=^[^\p{L}\d\n]+)D-\d{3}\b/gmu;

/** Names of what the repository holds: paths of Markdown files, ids of decisions. */
export interface Library {
  readonly documents: readonly string[];
  readonly decisions: ReadonlySet<string>;
}

/** Returns what the given files offer to cite. */
export function libraryOf(files: readonly TextFile[]): Library {
  const pages = files.filter(({ path }) => path.endsWith('.md'));
  const documents = pages.map(({ path }) => path);
  return { documents, decisions: new Set(pages.flatMap(({ text }) => text.match(DEFINED) ?? [])) };
}

/** Returns the citations of a file that name nothing of the library. */
export function closedCitations({ path, text }: TextFile, library: Library): readonly Finding[] {
  return text
    .split('\n')
    .flatMap((line, at) => citationsOf(line, library).map((cited) => ({ path, line: at + 1, text: cited })));
}

function citationsOf(line: string, { documents, decisions }: Library): readonly string[] {
  const isHeld = (name: string) => documents.some((path) => path === name || path.endsWith(`/${name}`));
  return [
    ...CLOSED.flatMap((pattern) => line.match(pattern) ?? []),
    ...[...line.matchAll(DOCUMENT)].map(([, name = '']) => name).filter((name) => !isHeld(name)),
    ...(line.match(DECISION) ?? []).filter((id) => !decisions.has(id)),
  ];
}
