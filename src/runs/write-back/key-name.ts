// A key as one text. Hundreds of thousands of keys wait to be written, and single texts are cheap for the garbage collector:
// arrays of cells would take a quarter of a run's time.
import type { KeyCell } from '../../warehouse/index.ts';

/** Returns the name of a key. Names are distinct, because each cell's text contains its length. */
export function nameOfKey(key: readonly KeyCell[]): string {
  let name = '';
  for (const cell of key) {
    if (cell === null) name += '-';
    else name += typeof cell === 'string' ? `${cell.length}:${cell}` : `#${cell};`;
  }
  return name;
}

export function keyOfName(name: string): readonly KeyCell[] {
  const key: KeyCell[] = [];
  for (let at = 0; at < name.length; ) {
    if (name[at] === '-') {
      key.push(null);
      at += 1;
    } else if (name[at] === '#') {
      const end = name.indexOf(';', at);
      key.push(BigInt(name.slice(at + 1, end)));
      at = end + 1;
    } else {
      const from = name.indexOf(':', at) + 1;
      const to = from + Number(name.slice(at, from - 1));
      key.push(name.slice(from, to));
      at = to;
    }
  }
  return key;
}
