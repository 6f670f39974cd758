// Words that texts for users no longer use, because the field or plain English has a better one. They are looked for in the
// pages and in the texts of the product. Comments, code names and the citations in `docs/spec` are free.
import ts from 'typescript';
import { CODE, type Finding, findingAt, parse, type TextFile, walk } from './read-files.ts';

const RETIRED = [
  'anew',
  'anybody',
  'hopeless',
  'is there already',
  'janitor',
  'mend(?:s|ed|ing)?',
  'somebody',
  'stays where it was',
  'the way out',
  'worse off',
];
const WORDS = new RegExp(`\\b(?:${RETIRED.join('|')})\\b`, 'gi');

/** Returns the retired words in the prose of a page, or in the string literals of a file of the product. */
export function retiredWords(file: TextFile): readonly Finding[] {
  if (file.path.endsWith('.md')) return file.path.startsWith('docs/spec/') ? [] : ofPage(file);
  const isProduct = CODE.some((folder) => file.path.startsWith(`${folder}/`)) && file.path.endsWith('.ts');
  return isProduct && wordsOf(file.text).length > 0 ? ofLiterals(file) : [];
}

function ofPage({ path, text }: TextFile): readonly Finding[] {
  let isCode = false;
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    return isCode ? [] : wordsOf(line.replaceAll(/`[^`]*`/g, '')).map((word) => ({ path, line: at + 1, text: word }));
  });
}

/** Skips literals without a space: these are names, such as a column of an output. */
function ofLiterals(file: TextFile): readonly Finding[] {
  const tree = parse(file);
  const found: Finding[] = [];
  walk(tree, (node) => {
    if (!ts.isStringLiteral(node) && !ts.isTemplateLiteralToken(node)) return;
    if (node.text.includes(' ')) found.push(...wordsOf(node.text).map((word) => findingAt(tree, node, word)));
  });
  return found;
}

const wordsOf = (text: string): readonly string[] => text.match(WORDS) ?? [];
