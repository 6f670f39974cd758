// Every link of a page to another page of the repository, or to a heading, leads somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/crashes/penstock-process.ts';

const isPage = (name: string) => name.endsWith('.md');

const PAGES = [
  ...readdirSync(ROOT).filter(isPage),
  ...['docs', 'connectors', 'examples', 'demo'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(isPage)
      .map((name) => join(folder, name)),
  ),
].map((name) => join(ROOT, name));

/** Reads a page and leaves its code out. */
const proseOf = (page: string) => readFileSync(page, 'utf8').replaceAll(/^ *```.*?^ *```/gms, '');

/** Returns the anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isDead(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : resolve(dirname(page), path);
  return !existsSync(file) || (anchor !== undefined && isPage(file) && !anchorsOf(file).includes(anchor));
}

test.each(PAGES.map((page) => [relative(ROOT, page), page] as const))('the links of %s', (_name, page) => {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => isDead(page, target))).toEqual([]);
});
