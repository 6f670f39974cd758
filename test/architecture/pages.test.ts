// Pages name only what the source has: paths that contributors are sent to, and the events of the log.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './source-tree.ts';

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const EVENT = /[a-z_]+\.[a-z_-]+/.source;

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names paths that exist', (path) => {
  const named = [...readText(path).matchAll(/`((?:src|connectors|test|tools|bin)\/[\w./-]+)`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

test('the troubleshooting page names every event of the log, and no other', () => {
  const [, table = ''] = readText('docs/troubleshooting.md').split('## Log events\n');
  const rows = table.split('\n').flatMap((line) => line.match(/^\| (`.*?) \|/)?.[1] ?? []);
  const named = rows.flatMap((cell) => [...cell.matchAll(new RegExp(`\`(${EVENT})\``, 'g'))].map(([, name]) => name));
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files.filter((name) => name.endsWith('.ts')).map((name) => readText(`src/${name}`));
  const call = new RegExp(`\\blog\\.(?:debug|info|warn|error)\\([^;]*?'(${EVENT})'`, 'g');
  const logged = texts.flatMap((text) => [...text.matchAll(call)].map(([, name]) => name));
  const quoted = (name = '') => texts.some((text) => text.includes(`'${name}'`));
  expect(named.length).toBeGreaterThan(40);
  expect(logged.filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => !quoted(name))).toEqual([]);
});
