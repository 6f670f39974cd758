// Rules that a stranger may rely on when opening a folder: a door, pure files without waiting, a short main.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { alternativesOf, findNodes, importOf, parseSource, ROOT, readSource } from './source-tree.ts';

/** Files that compute and never wait: the same input gives the same output, so they are tested without anything else. */
const PURE = [
  /-machine\.ts$/,
  /\/(plan|compile|normalise)-[a-z-]+\.ts$/,
  /^src\/kernel\/(backoff|errors|instant|json|secret)\.ts$/,
  /^src\/pipelines\/(schedules\/(schedule|duration)|pipelines\/pipeline-status)\.ts$/,
  /^src\/mapping\/range\/(iterator-axis|wall-clock|row-time)\.ts$/,
  /^src\/mapping\/(cells\/(cell-text|identity-cell|json-cell)|people\/column-roles)\.ts$/,
  /^src\/identity\/identity-key\.ts$/,
  /^src\/warehouse\/(cells|dialect|iterator)\.ts$/,
  /^connectors\/[a-z]+\/(dialect|errors)\.ts$/,
];
const IO_MODULES = /^(node:)?(fs|net|http|https|child_process|dns|tls|worker_threads|timers)(\/|$)/;

const source = readSource();
const pureFiles = source.filter(({ path }) => PURE.some((pattern) => pattern.test(path)));

function waits(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) return true;
  return IO_MODULES.test(importOf(node)?.module ?? '');
}

describe('a pure file', () => {
  test.each(PURE.flatMap(({ source: pattern }) => alternativesOf(pattern)))('is named by %s', (pattern) => {
    expect(source.filter(({ path }) => new RegExp(pattern).test(path))).not.toEqual([]);
  });

  test.each(pureFiles.map((file) => [file.path, file] as const))(
    '%s neither waits nor reaches outside',
    (_path, file) => {
      expect(findNodes(file, waits)).toEqual([]);
    },
  );

  test.each(['async function f() {}', 'const f = async () => 1', 'await x', "import 'node:fs/promises'"])(
    'is caught with %s',
    (text) => {
      expect(findNodes(parseSource('x-machine.ts', text), waits)).not.toEqual([]);
    },
  );
});

describe('the source', () => {
  test('has a door in every room', () => {
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    // app/ and config/ are parts of app.ts and config.ts
    const rooms = folders.map(({ name }) => name).filter((name) => name !== 'app' && name !== 'config');
    expect(rooms.filter((room) => !existsSync(join(ROOT, 'src', room, 'index.ts')))).toEqual([]);
  });

  test('has no other barrel', () => {
    const barrels = source.filter(({ path }) => /^src\/[^/]+\/.+\/index\.ts$/.test(path)).map(({ path }) => path);
    expect(barrels).toEqual([]);
  });

  // a word of another API, such as the version of data subject requests, belongs to its own room
  test.each(['pipelines', 'mapping', 'runs'])('does not know version 1 of warehouse sync in %s', (room) => {
    const knowing = source.filter(
      ({ path, text }) => path.startsWith(`src/${room}/`) && /version[- ]?(1|one)\b|platform.v1|api-v1/i.test(text),
    );
    expect(knowing.map(({ path }) => path)).toEqual([]);
  });

  test('keeps main.ts below 60 lines', () => {
    const mains = source.filter(({ path }) => path === 'src/main.ts');
    expect(mains.map(({ text }) => text.split('\n').length).filter((lines) => lines >= 60)).toEqual([]);
  });

  test('opens each room with what it is', () => {
    const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const silent = rooms
      .map(({ name }) => source.filter(({ path }) => path.startsWith(`src/${name}/`)))
      .filter((files) => !files.some(({ text }) => text.startsWith('//')));
    expect(silent.map((files) => files[0]?.path)).toEqual([]);
  });
});
