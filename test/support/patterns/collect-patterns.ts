// The regular expressions of the product, found in its syntax trees, so that none is missed and no comment counts.
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

export interface FoundPattern {
  /** The pattern with its slashes and flags. */
  readonly pattern: string;
  readonly places: readonly string[];
}

const ROOT = new URL('../../../', import.meta.url).pathname;

/** Returns the patterns in src/ and connectors/: literals, and texts of the schema's `pattern` and of constants named *_PATTERN. */
export function collectPatterns(): readonly FoundPattern[] {
  const found = new Map<string, string[]>();
  for (const [file, node] of nodes()) {
    const pattern = patternOf(node);
    if (pattern === undefined) continue;
    const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
    found.set(pattern, [...(found.get(pattern) ?? []), `${file}:${line + 1}`]);
  }
  return Array.from(found, ([pattern, places]) => ({ pattern, places }));
}

/** Returns the files that build a pattern while they run, which no analysis of literals can judge. */
export function filesThatBuildPatterns(): readonly string[] {
  const files = Array.from(nodes()).flatMap(([file, node]) => {
    const builds = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
    return builds ? [file] : [];
  });
  return [...new Set(files)].sort();
}

function* nodes(): Generator<readonly [file: string, node: ts.Node], void, undefined> {
  for (const file of globSync('{src,connectors}/**/*.ts', { cwd: ROOT }).sort()) {
    const source = ts.createSourceFile(file, readFileSync(`${ROOT}${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
    const pending: ts.Node[] = [source];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      yield [file, node];
      node.forEachChild((child) => void pending.push(child));
    }
  }
}

function patternOf(node: ts.Node): string | undefined {
  if (ts.isRegularExpressionLiteral(node)) return node.text;
  const isNamed = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node);
  const value = isNamed ? node.initializer : undefined;
  if (!isNamed || value === undefined || !ts.isStringLiteralLike(value)) return undefined;
  return /^pattern$|_PATTERN$/.test(node.name.getText()) ? `/${value.text}/u` : undefined;
}
