import { isAscii } from 'node:buffer';

/** Cuts strings out of bytes that hold many of them: decoded once where they are ASCII. */
export function cutter(run: Buffer): (from: number, to: number) => string {
  if (!isAscii(run)) return (from, to) => run.toString('utf8', from, to);
  const text = run.toString('latin1');
  return (from, to) => text.substring(from, to);
}
