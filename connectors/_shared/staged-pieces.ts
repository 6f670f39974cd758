import type { StagedRows } from '../../src/warehouse/index.ts';

/**
 * Yields staged rows as JSON, arrays of arrays of texts: key, `read_mpid`, `mpid`. As texts, numbers of any size stay exact.
 */
export function* stagedPieces(rows: StagedRows, mostCharacters: number): Generator<string, void, undefined> {
  let parts: string[] = [];
  let size = 0;
  for (const { key, readMpid, mpid } of rows) {
    const part = JSON.stringify([...key, readMpid, mpid].map((cell) => (cell === null ? null : String(cell))));
    parts.push(part);
    size += part.length;
    if (size < mostCharacters) continue;
    yield `[${parts.join(',')}]`;
    parts = [];
    size = 0;
  }
  if (parts.length > 0) yield `[${parts.join(',')}]`;
}
