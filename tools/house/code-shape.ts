// Finds what code says to the compiler and not to the reader: casts, and spreads that pack several fields on one line.
import ts from 'typescript';
import { type Finding, findingAt, parse, type TextFile, walk } from './read-files.ts';

export interface CodeShape {
  /** `x as T` and `<T>x`, without `as const`. */
  readonly casts: readonly Finding[];
  /** `x[i] as T`, which are casts, too. */
  readonly indexedCasts: readonly Finding[];
  /** `...{ a, b }` in an object, `...[a, b]` in an array or a call. */
  readonly packingSpreads: readonly Finding[];
}

/** Returns the casts and the packing spreads of TypeScript files. */
export function codeShapeOf(files: readonly TextFile[]): CodeShape {
  const shape = { casts: [] as Finding[], indexedCasts: [] as Finding[], packingSpreads: [] as Finding[] };
  for (const tree of files.map(parse)) {
    walk(tree, (node) => {
      if (isCast(node)) shape.casts.push(findingAt(tree, node));
      if (isCast(node) && ts.isElementAccessExpression(bare(node.expression))) {
        shape.indexedCasts.push(findingAt(tree, node));
      }
      if (isPacking(node)) shape.packingSpreads.push(findingAt(tree, node));
    });
  }
  return shape;
}

function isCast(node: ts.Node): node is ts.AssertionExpression {
  return ts.isAssertionExpression(node) && !ts.isConstTypeReference(node.type);
}

function isPacking(node: ts.Node): boolean {
  if (ts.isSpreadAssignment(node)) return ts.isObjectLiteralExpression(bare(node.expression));
  return ts.isSpreadElement(node) && ts.isArrayLiteralExpression(bare(node.expression));
}

function bare(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? bare(node.expression) : node;
}
