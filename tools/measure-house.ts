// Prints how readable the house is, as Markdown: `npm run measure`. The first table is the whole, the second each room.
//   npm run measure -- --list packing    every place of a measure: casts, indexed, packing, small
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeShape, codeShapeOf } from './house/code-shape.ts';
import { crowdedFolders, lineCount, missingAtEntrance, singleCallerFiles } from './house/layout.ts';
import { CODE, type Finding, ROOT, readCode, roomOf, type TextFile } from './house/read-files.ts';
import { docCommentsOf, isFragment } from './house/wording.ts';
import { type Breach, breachesOf } from './house/words.ts';
import { table } from './page-tables.ts';

const MOST_FILES = 25;
/** Code that runs for each row and reads typed arrays; `npm run bench -- deliver` measures it. A check of each index would cost a row's time. */
const HOT_PATHS = [
  'src/identity/deliver/',
  'src/identity/resolve/',
  'src/identity/tombstones/',
  'src/mapping/cells/',
  'src/runs/ledger/',
  'src/store/copy-encode.ts',
];
const files = readCode(ROOT);
const lines = linesOf(files);
const shape = codeShapeOf(files);
const small = singleCallerFiles(files);
const comments = files.flatMap(docCommentsOf);
const breaches = breachesOf(ROOT);

const [option, measure = ''] = process.argv.slice(2);
if (option === '--list') list();
else console.log(`${whole()}\n\n${byRoom()}`);

function list(): void {
  const { casts, indexedCasts: indexed, packingSpreads: packing } = shape;
  const places: Record<string, readonly Finding[]> = { casts, indexed, packing };
  const found = places[measure]?.map(({ path, line, text }) => `${path}:${line} ${text}`) ?? small;
  console.log(found.join('\n'));
}

function whole(): string {
  const fragments = comments.filter(({ text }) => isFragment(text));
  const functions = comments.filter(({ isOnFunction }) => isOnFunction);
  const verbless = inCode(breaches).filter(({ kind }) => kind === 'verbless');
  const citations = breaches.filter(({ kind }) => kind === 'citations');
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const crowded = crowdedFolders(ROOT, [...CODE, 'test'], MOST_FILES);
  return table(
    ['measure', 'today', 'aim'],
    [
      ['doc comments that begin with a fragment', share(fragments.length, comments.length), '≤ 3 %'],
      ['functions whose comment begins with no verb and no fragment', share(verbless.length, functions.length), ''],
      [
        'citations of documents that are not in the repository',
        `${citations.length} in ${filesOf(citations)} files (code ${inCode(citations).length})`,
        '0',
      ],
      ['`as` casts per 1,000 lines', perThousand(shape.casts.length, lines), ''],
      ['the same outside hot paths', perThousand(cool(shape.casts).length, linesOf(cool(files))), '≤ 3.5'],
      ['`x[i] as T`', String(shape.indexedCasts.length), ''],
      ['spreads that only pack lines', String(shape.packingSpreads.length), '0'],
      [`folders over ${MOST_FILES} files`, [...crowded].map((entry) => entry.join(' ')).join(', ') || 'none', 'none'],
      ['files under 45 lines with one caller in the same room', String(small.length), ''],
      ['README', `${Buffer.byteLength(readme)} bytes, ${lineCount(readme)} lines`, '≤ 8 KB, ≤ 150 lines'],
      ['missing at the entrance', missingAtEntrance(ROOT).join(', ') || 'none', 'none'],
    ],
  );
}

function byRoom(): string {
  const rooms = Map.groupBy(files, ({ path }) => roomOf(path));
  return table(
    [
      'room',
      'lines',
      'comments',
      'fragments',
      'share',
      'verbless',
      'citations',
      'casts',
      '/ 1,000',
      'x[i]',
      'packing',
      'small',
    ],
    [...rooms].map(([room, own]) => [room, ...roomCells(room, linesOf(own))]),
  );
}

function roomCells(room: string, roomLines: number): readonly string[] {
  const isHere = ({ path }: { readonly path: string }) => roomOf(path) === room;
  const of = (kind: Breach['kind']) => breaches.filter((breach) => breach.kind === kind && isHere(breach)).length;
  const shaped = (key: keyof CodeShape) => shape[key].filter(isHere).length;
  const own = comments.filter(isHere).length;
  const [fragments, casts] = [of('fragments'), shaped('casts')];
  const cells = [
    roomLines,
    own,
    fragments,
    percent(fragments, own),
    of('verbless'),
    of('citations'),
    casts,
    perThousand(casts, roomLines),
    shaped('indexedCasts'),
    shaped('packingSpreads'),
    small.filter((path) => roomOf(path) === room).length,
  ];
  return cells.map(String);
}

function inCode(found: readonly Breach[]): readonly Breach[] {
  return found.filter(({ path }) => CODE.some((folder) => path.startsWith(`${folder}/`)));
}

function cool<Place extends { readonly path: string }>(places: readonly Place[]): readonly Place[] {
  return places.filter(({ path }) => !HOT_PATHS.some((hot) => path.startsWith(hot)));
}

function filesOf(found: readonly Finding[]): number {
  return new Set(found.map(({ path }) => path)).size;
}

function linesOf(texts: readonly TextFile[]): number {
  return texts.reduce((sum, { text }) => sum + lineCount(text), 0);
}

function share(part: number, all: number): string {
  return `${percent(part, all)} (${part} of ${all})`;
}

function percent(part: number, all: number): string {
  return `${((100 * part) / (all || 1)).toFixed(1)} %`;
}

function perThousand(part: number, all: number): string {
  return ((1000 * part) / all).toFixed(1);
}
