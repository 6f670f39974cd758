// Reads the source for the tests of this folder: every file once, with its syntax tree.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface SourceFile {
  /** Path from the root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export function parseSource(path: string, text: string): SourceFile {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true) };
}

/** All TypeScript files of `src` and `connectors`. */
export function readSource(): readonly SourceFile[] {
  return ['src', 'connectors']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.ts'))
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** Every node for which `matches` holds, as `path:line text`. */
export function findNodes(file: SourceFile, matches: (node: ts.Node) => boolean): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (matches(node)) found.push(`${file.path}:${lineOf(file, node)} ${node.getText(file.tree).split('\n', 1)[0]}`);
    ts.forEachChild(node, visit);
  };
  visit(file.tree);
  return found;
}

function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

/** The dotted name a node spells, such as `Date.now`; undefined for anything but a name. */
export function dottedName(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const left = dottedName(node.expression);
  return left === undefined ? undefined : `${left}.${node.name.text}`;
}

/** The module an import or export declaration names, with what it takes from there. */
export function importOf(node: ts.Node): { readonly module: string; readonly names: readonly string[] } | undefined {
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return undefined;
  const bindings = node.importClause?.namedBindings;
  const names =
    bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.map((element) => (element.propertyName ?? element.name).text)
      : ['*'];
  return { module: node.moduleSpecifier.text, names };
}

/** The patterns that together match what `pattern` matches, none with a choice in parentheses left (lookaheads stay). */
export function alternativesOf(pattern: string): readonly string[] {
  const choice = /\((?:\?:)?(?!\?)([^()]*\|[^()]*)\)/.exec(pattern);
  if (choice === null) return [pattern];
  const [before, after] = [pattern.slice(0, choice.index), pattern.slice(choice.index + choice[0].length)];
  const options = (choice[1] ?? '').split('|').map((option) => `${before}${option}${after}`);
  return [...new Set(options.flatMap(alternativesOf))];
}

/** The package that an import names: `typebox` for `typebox/schema`. */
export function packageOf(specifier: string): string {
  return /^@[^/]+\/[^/]+|^[^/]+/.exec(specifier)?.[0] ?? specifier;
}
