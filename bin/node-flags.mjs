/**
 * How V8 is told to keep the daemon small; package.json and the Dockerfile say the same. Left alone it takes what a large
 * machine offers: 130 MB for young objects before anything runs, and four times what is alive for the old ones. Chunks of
 * rows are alive for a second, so a young space of 8 MB and collecting when the heap has grown by half cost next to
 * nothing (measured: 700 MB become 400 MB while a run works).
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=50'];
