// Holds the rules of wording: `npm run words`. Every room has as many breaches as word-waivers.json says, neither more nor fewer,
// so that the numbers only sink.
//   npm run words -- --list src/http    every breach of a folder, by place
//   npm run words -- --write            the waivers anew; a kind that grew as a whole is raised nowhere
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './house/read-files.ts';
import { breachesOf, complaintsOf, countBreaches, grownKinds, renewedWaivers, type Waivers } from './house/words.ts';

const FILE = join(import.meta.dirname, 'word-waivers.json');
const [option, folder = ''] = process.argv.slice(2);
const breaches = breachesOf(ROOT);
const counts = countBreaches(breaches);
const waivers = JSON.parse(readFileSync(FILE, 'utf8')) as Waivers;

if (option === '--list') list();
else if (option === '--write') write();
else check();

function list(): void {
  for (const { path, line, kind, text } of breaches) {
    if (path.startsWith(folder)) console.log(`${path}:${line} ${kind}: ${text}`);
  }
}

function write(): void {
  const grown = grownKinds(counts, waivers);
  writeFileSync(FILE, formatted(renewedWaivers(counts, waivers)));
  if (grown.length > 0)
    fail([`There are more ${grown.join(' and ')} than are waived, so their waivers rose nowhere. Reword them.`]);
}

/** Formats waivers with one room a line, so that changes of two rooms merge. */
function formatted(list: Waivers): string {
  const rooms = Object.entries(list).map(([room, numbers]) => {
    const pairs = Object.entries(numbers).map(([kind, number]) => `"${kind}": ${number}`);
    return `  "${room}": { ${pairs.join(', ')} }`;
  });
  return `{\n${rooms.join(',\n')}\n}\n`;
}

function check(): void {
  const complaints = complaintsOf(counts, waivers);
  if (complaints.length > 0) fail([...complaints, 'List the places: npm run words -- --list <folder>']);
}

function fail(lines: readonly string[]): void {
  console.error(lines.join('\n'));
  process.exitCode = 1;
}
