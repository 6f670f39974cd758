// Folders with more files than a reader can take in, and files that are steps of one neighbour.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { pathsBelow, roomOf, type TextFile } from './read-files.ts';

const SMALL_LINES = 45;
/** Documents at the entrance of the repository; those of the root end in `.md`. */
const ENTRANCE = { 'docs index': 'docs/README', CONTRIBUTING: '', CHANGELOG: '', SECURITY: '', examples: 'examples/' };

/** Counts the files directly in each folder and returns the folders with more than `most`. */
export function crowdedFolders(root: string, folders: readonly string[], most: number): ReadonlyMap<string, number> {
  const counts = Map.groupBy(pathsBelow(root, folders), (path) => dirname(path));
  return new Map(
    [...counts].map(([folder, paths]) => [folder, paths.length] as const).filter(([, count]) => count > most),
  );
}

/** Returns the files under 45 lines that one file alone imports, if it is in the same room and not the room's door. */
export function singleCallerFiles(files: readonly TextFile[]): readonly string[] {
  const importers = importersOf(files);
  return files
    .filter(({ path, text }) => !isDoor(path) && lineCount(text) < SMALL_LINES)
    .map(({ path }) => path)
    .filter((path) => {
      const [caller, ...others] = importers.get(path) ?? [];
      if (caller === undefined || others.length > 0 || isDoor(caller)) return false;
      return roomOf(caller) === roomOf(path);
    });
}

function isDoor(path: string): boolean {
  return path.endsWith('/index.ts');
}

function importersOf(files: readonly TextFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = join(dirname(path), fileName);
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return importers;
}

/** Counts lines; a line feed at the end begins no further one. */
export function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Returns the documents of the entrance that are missing. */
export function missingAtEntrance(root: string): readonly string[] {
  return Object.entries(ENTRANCE)
    .filter(([name, place]) => !existsSync(join(root, place.endsWith('/') ? place : `${place || name}.md`)))
    .map(([name]) => name);
}
