import { isAscii } from 'node:buffer';

/** Returns a function that cuts strings out of bytes; an ASCII run is decoded once as a whole. */
export function cutter(run: Buffer): (from: number, to: number) => string {
  if (!isAscii(run)) return (from, to) => run.toString('utf8', from, to);
  const text = run.toString('latin1');
  return (from, to) => text.substring(from, to);
}
