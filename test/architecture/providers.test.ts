// Facts of one provider stand in its folder of connectors/. So a further one is a folder, and no room learns its name.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { PROVIDER_FACTS, PROVIDERS } from '../../connectors/facts.ts';
import { findNodes, parseSource, readSource } from './source-tree.ts';

/** Files that may name a product, each with the reason. */
const ALLOWED: readonly (readonly [RegExp, string])[] = [
  [/^src\/(config|config\/(settings|endpoints))\.ts$/, 'an operator sets things for one product'],
  [/^src\/warehouse\/sql\//, 'the grammars of the SQL parser have the names of products'],
  [/^src\/(cli\/demo\/|pipelines\/contract\/connection\.ts$)/, 'a connection as a person writes it'],
];

/** The store is a PostgreSQL too, so that name says nothing about a provider. */
const names = Object.values(PROVIDER_FACTS).flatMap(({ product, productNames }) => [product, ...productNames]);
const PRODUCTS = [...new Set(names)].filter((name) => name !== 'PostgreSQL');
const PRODUCT = new RegExp(`\\b(${PRODUCTS.join('|')})\\b`, 'i');
const WORD = new RegExp(`\\b(${PROVIDERS.join('|')})\\b`);

function namesProvider(node: ts.Node): boolean {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  const isKey =
    ts.isIdentifier(node) && (ts.isPropertyAssignment(node.parent) || ts.isPropertyAccessExpression(node.parent));
  return (isText || isKey) && (WORD.test(node.text) || PRODUCT.test(node.text));
}

const source = readSource().filter(({ path }) => path.startsWith('src/'));
const isAllowed = ({ path }: { readonly path: string }) => ALLOWED.some(([pattern]) => pattern.test(path));

describe('the name of a provider', () => {
  test('stands in no room but where a reason is given', () => {
    expect(source.filter((file) => !isAllowed(file)).flatMap((file) => findNodes(file, namesProvider))).toEqual([]);
  });

  test.each(ALLOWED)('stands in %s: %s', (pattern) => {
    const files = source.filter(({ path }) => pattern.test(path));
    expect(files.flatMap((file) => findNodes(file, namesProvider))).not.toEqual([]);
  });

  test.each([
    "if (provider === 'Gamma') go();",
    'const FIELDS = { Alpha: [] };',
    'fleet.DuckDB',
    "const help = 'Snowflake takes --role';",
    'const text = `a table of BigQuery`;',
    "const dialect = 'databricks';",
  ])('is seen in %s', (text) => {
    expect(findNodes(parseSource('x.ts', text), namesProvider)).not.toEqual([]);
  });
});
