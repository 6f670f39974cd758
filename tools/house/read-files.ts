// The house: the files of this repository as its measures (`npm run measure`) and its check of words (`npm run words`) see them.
// Nothing here knows a room by name, so a room that moves is measured where it stands.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '..', '..');
export const CODE = ['src', 'connectors'];
const OTHERS = ['test', 'tools', 'bench', 'demo', 'bin', 'docs', 'examples'];
/** Tests of the measures themselves: their snippets break the rules on purpose. */
const SNIPPETS = 'test/architecture/house.test.ts';
const WORDED = ['.ts', '.mjs', '.cjs', '.md'];

export interface TextFile {
  /** Path from the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** A place that breaks a rule. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the paths of all files below `folders`, from `root`; a folder that is missing has none. */
export function pathsBelow(root: string, folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .filter((path) => !path.includes('node_modules/'));
}

/** Returns the TypeScript of the product: `src` and `connectors`. */
export function readCode(root: string): readonly TextFile[] {
  return read(
    root,
    pathsBelow(root, CODE).filter((path) => path.endsWith('.ts')),
  );
}

/** Returns every file whose words are held to the rules: code, tests, tools and documents. */
export function readWorded(root: string): readonly TextFile[] {
  const paths = [...readdirSync(root), ...pathsBelow(root, [...CODE, ...OTHERS])];
  return read(
    root,
    paths.filter((path) => path !== SNIPPETS && WORDED.some((ending) => path.endsWith(ending))),
  );
}

function read(root: string, paths: readonly string[]): readonly TextFile[] {
  return paths.toSorted().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Returns the room of a path: its first two folders, or as many as it has. */
export function roomOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
}

export function parse({ path, text }: TextFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

/** Calls `visit` with every node of a tree. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

export function findingAt(tree: ts.SourceFile, node: ts.Node, text = node.getText(tree)): Finding {
  const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  return { path: tree.fileName, line, text: text.replaceAll(/\s+/g, ' ').slice(0, 120) };
}
