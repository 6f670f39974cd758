// A guard that names what has moved guards nothing: every path and every package that a guard names exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { alternativesOf, packageOf, parseSource, ROOT, readSource } from './source-tree.ts';

interface Rule {
  readonly name: string;
  readonly from: Line;
  readonly to: Line;
}
interface Line {
  readonly path?: string | readonly string[];
  readonly pathNot?: string | readonly string[];
}

const FOLDERS = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git')
  .map(({ name }) => name);
const files = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  ),
];
const source = readSource();
const { dependencies, devDependencies, ...manifest } = readJson('package.json') as Record<string, object>;
const scripts = Object.values(manifest.scripts ?? {}).flatMap((script: string) => script.split(' '));

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

async function readConfig(path: string): Promise<unknown> {
  const { default: config } = await import(pathToFileURL(join(ROOT, path)).href);
  return config;
}

/** Every text inside a value, those of its keys left out. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** A path or a glob from the root, also one that is excluded by a `!`. */
function isPath(text: string): boolean {
  if (!/^[\w!@*.][^\s']*$/.test(text)) return false;
  return /\*|\.([cm]?[jt]s|json)$/.test(text) || FOLDERS.some((folder) => plain(text).startsWith(`${folder}/`));
}

const plain = (text: string) => text.replace(/^!/, '').replace(/^\.\//, '');

function isThere(text: string): boolean {
  if (text.startsWith('file:')) return existsSync(fileURLToPath(text));
  return existsSync(join(ROOT, plain(text))) || files.some((file) => matchesGlob(file, plain(text)));
}

describe('every path exists that is named in', () => {
  test.each([
    'knip.json',
    'biome.json',
    'tsconfig.json',
    'vitest.config.ts',
    'vitest.mutation.config.ts',
    'vitest.soak.config.ts',
    'stryker.config.mjs',
    'drizzle.config.ts',
  ])('%s', async (config) => {
    const texts = textsOf(config.endsWith('.json') ? readJson(config) : await readConfig(config));
    const paths = texts.filter(isPath);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  test('the scripts of package.json', () => {
    expect(scripts.filter((word) => isPath(word) && !isThere(word))).toEqual([]);
  });

  // tools.test.ts builds a small tree of its own, and the last tests of this file name what is not there
  const tests = files.filter((file) => /^test\/architecture\/(?!tools|guards).*\.test\.ts$/.test(file));
  test.each(tests)('%s', (path) => {
    const paths = literalsOf(path).filter((text) => text.includes('/') && isPath(text));
    expect(paths.filter((named) => !isThere(named))).toEqual([]);
  });
});

function literalsOf(path: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) && !node.text.startsWith('.')) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(parseSource(path, readFileSync(join(ROOT, path), 'utf8')).tree);
  return found;
}

const { forbidden } = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as {
  readonly forbidden: readonly Rule[];
};

/** The patterns of a rule, each alternative apart; what the other side of the rule puts in matches anything. */
function patternsOf(...lists: readonly (string | readonly string[] | undefined)[]): readonly string[] {
  return lists.flatMap((list = []) => list).flatMap((pattern) => alternativesOf(pattern.replaceAll('$1', '[^/]+')));
}

describe('every rule of dependency-cruiser', () => {
  const paths = source.map(({ path }) => path);

  test('names rooms and files that exist', () => {
    const lost = forbidden.flatMap(({ name, from, to }) =>
      patternsOf(from.path, from.pathNot, to.path, to.pathNot)
        .filter((pattern) => !pattern.startsWith('node_modules/'))
        .filter((pattern) => !paths.some((path) => new RegExp(pattern).test(path)))
        .map((pattern) => `${name}: ${pattern}`),
    );
    expect(lost).toEqual([]);
  });

  test('names packages that are dependencies', () => {
    const wanted = forbidden
      .flatMap(({ to }) => patternsOf(to.path))
      .filter((path) => path.startsWith('node_modules/'));
    const installed = Object.keys(dependencies ?? {}).map((name) => `node_modules/${name}/`);
    expect(wanted).not.toEqual([]);
    expect(wanted.filter((pattern) => !installed.some((path) => new RegExp(`^${pattern}$`).test(path)))).toEqual([]);
  });

  const homes = forbidden.filter(({ name }) => name.endsWith('-stays-home'));
  test.each(homes.map((rule) => [rule.name, rule] as const))('%s in places that use it', (_name, { from, to }) => {
    const library = patternsOf(to.path).map((pattern) => new RegExp(`^${pattern}$`));
    const users = source.filter(({ text }) =>
      importsOf(text).some((name) => library.some((pattern) => pattern.test(`node_modules/${packageOf(name)}/`))),
    );
    const idle = patternsOf(from.pathNot).filter((home) => !users.some(({ path }) => new RegExp(home).test(path)));
    expect(idle).toEqual([]);
  });

  test('gives a home to every library but typebox, in whose terms every room describes its shapes', () => {
    const imported = new Set(source.flatMap(({ text }) => importsOf(text)).map(packageOf));
    const homeless = Object.keys(dependencies ?? {})
      .filter((name) => imported.has(name) && name !== 'typebox')
      .filter((name) => !homes.some(({ to }) => new RegExp(`^${to.path}$`).test(`node_modules/${name}/`)));
    expect(homeless).toEqual([]);
  });
});

function importsOf(text: string): readonly string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

describe('every package exists that is named in', () => {
  const { packages } = readJson('package-lock.json') as { readonly packages: object };

  test('knip.json', () => {
    const { ignoreDependencies } = readJson('knip.json') as { readonly ignoreDependencies: readonly string[] };
    expect(ignoreDependencies.filter((name) => !Object.hasOwn({ ...dependencies, ...devDependencies }, name))).toEqual(
      [],
    );
  });

  test('stryker.config.mjs', async () => {
    const { plugins } = (await readConfig('stryker.config.mjs')) as { readonly plugins: readonly string[] };
    expect(plugins.filter((name) => !Object.hasOwn(devDependencies ?? {}, name))).toEqual([]);
  });

  test.each(['allowScripts', 'overrides'])('%s of package.json', (list) => {
    const names = Object.keys(manifest[list] ?? {});
    expect(names.filter((name) => !Object.hasOwn(packages, `node_modules/${name}`))).toEqual([]);
  });

  test('src/quick-imports.ts', () => {
    const [, list = ''] = /const PACKAGES = \[(.*)\]/.exec(source.find(isQuickImports)?.text ?? '') ?? [];
    const names = [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !Object.hasOwn(dependencies ?? {}, name))).toEqual([]);
  });
});

const isQuickImports = ({ path }: { readonly path: string }) => path === 'src/quick-imports.ts';

describe('a guard that names what is not there is seen', () => {
  test.each(['src/not-there.ts', 'src/**/not-there.ts', '!connectors/not-there/**', 'not-there/*.ts'])('%s', (text) => {
    expect(isPath(text) && !isThere(text)).toBe(true);
  });

  test('in one alternative of a pattern', () => {
    expect(alternativesOf('^src/(app|(not|there))(\\.ts$|/)')).toEqual([
      '^src/app\\.ts$',
      '^src/app/',
      '^src/not\\.ts$',
      '^src/not/',
      '^src/there\\.ts$',
      '^src/there/',
    ]);
    expect(alternativesOf('^src/(?!cli/|kernel/)')).toEqual(['^src/(?!cli/|kernel/)']);
  });

  test.each([
    ['@duckdb/node-api', '@duckdb/node-api'],
    ['typebox/schema', 'typebox'],
    ['node:fs', 'node:fs'],
  ])('in the import of %s', (specifier, name) => {
    expect(packageOf(specifier)).toBe(name);
  });
});
