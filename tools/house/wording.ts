// Doc comments and headings that begin without a subject. A comment is judged by its first word and by the declaration below it:
// a type or a property may begin with a noun, a function begins with a verb in the third person ("Returns", "Deletes").
import ts from 'typescript';
import { type Finding, findingAt, parse, type TextFile, walk } from './read-files.ts';

/** Openings that leave the subject out: relative words, prepositions, a bare value, the number of a specification. */
const OPENINGS = new Set(
  `about above absent after against although among as at because before below beneath beside between beyond but by during else
  except false for from how if in inside into like null of on once only over per since so than those through till to true
  undefined under unless until what whatever when whenever where wherever whether which whichever while who whoever whom
  whomever whose why with within without`.split(/\s+/),
);

/**
 * Openings of a heading, or of the comment that heads a file, that stand for its subject; "By hand" and "At the command line"
 * name a place in the page.
 */
const HEADING_OPENINGS = new Set(
  'as how of those what whatever when where whether which whichever who whoever whom whose why'.split(' '),
);

/** Words in s that are no verbs; one that is both, such as `requests`, passes for a verb. */
const NOT_VERBS = new Set(
  `addresses always attributes batches boundaries browsers bytes callbacks cells characters columns complaints dates days digits entries erasures
  errors events faults fields files functions handlers headers hosts hours identities ids infinities instants integers its items jobs keys
  kinds letters levels lines messages microseconds milliseconds mpids nulls numbers objects offsets ordinals others outcomes owners
  pages pairs parts paths people pipelines places policies positions products profiles progress properties queries reasons receivers rows
  seconds settings slabs slots statements statuses steps strings tables tags texts this tokens transactions tuples types
  units us users values vectors vs was words years yes zeros`.split(/\s+/),
);

/** One doc comment with the kind of declaration that it stands on. */
export interface DocComment extends Finding {
  readonly isOnFunction: boolean;
}

/** Returns the doc comments of a TypeScript file in their order. */
export function docCommentsOf(file: TextFile): readonly DocComment[] {
  const tree = parse(file);
  const found: DocComment[] = [];
  walk(tree, (node) => {
    for (const doc of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      // a declaration also lists the comment of the statement around it
      if (doc.parent !== node) continue;
      const text = ts.getTextOfJSDocComment(doc.comment) ?? '';
      found.push({ ...findingAt(tree, doc, text), isOnFunction: isFunction(node) });
    }
  });
  return found;
}

function isFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) return true;
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.every(isFunctionValue);
  return isFunctionValue(node);
}

function isFunctionValue(node: ts.Node): boolean {
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyAssignment(node) && !ts.isPropertyDeclaration(node))
    return false;
  const value = node.initializer;
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
}

/** Tells whether a text begins without a subject: "Of the first attempt", "What it left out", "001: no body". */
export function isFragment(text: string): boolean {
  const word = firstWord(text);
  return OPENINGS.has(word) || /^00\d$/.test(word);
}

/** Tells whether a text begins with a verb in the third person, judged by its ending. */
export function beginsWithVerb(text: string): boolean {
  const word = firstWord(text);
  return /^[a-z][a-z-]*(?<!s)s$/.test(word) && !OPENINGS.has(word) && !NOT_VERBS.has(word);
}

function firstWord(text: string): string {
  const [, word = ''] = /^(?:not shown: )?([\p{L}\d-]+)/iu.exec(text) ?? [];
  return word.toLowerCase();
}

/** Returns the comment that heads a TypeScript file if it begins with a relative word. */
export function looseHeads({ path, text }: TextFile): readonly Finding[] {
  const [, head] = /^\/\/ (.*)/.exec(text) ?? [];
  if (head === undefined || !HEADING_OPENINGS.has(firstWord(head))) return [];
  return [{ path, line: 1, text: head }];
}

/** Returns the headings of a Markdown file that begin with a relative word; "How to" names a subject. */
export function looseHeadings({ path, text }: TextFile): readonly Finding[] {
  let isCode = false;
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const [, heading] = (!isCode && /^#{1,6} (.*)/.exec(line)) || [];
    if (heading === undefined || /^How to\b/i.test(heading) || !HEADING_OPENINGS.has(firstWord(heading))) return [];
    return [{ path, line: at + 1, text: heading }];
  });
}
