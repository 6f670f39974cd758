/** Creates random numbers from 0 to 1 from a seed, so that a run of random kills can be repeated (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `CRASH_SEED`, else a new one; printed, because what fails once has to be seen again. */
export function chooseSeed(what: string): number {
  const seed = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 1_000_000));
  process.stderr.write(`${what}: CRASH_SEED=${seed}\n`);
  return seed;
}
