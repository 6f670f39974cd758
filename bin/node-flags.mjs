/**
 * How V8 is told to keep the daemon small; package.json and the Dockerfile say the same. Left alone it takes what a large
 * machine offers: 130 MB for young objects before anything runs, and four times what is alive for the old ones. With
 * chunks of 5,000 rows most objects die young in 16 MB: 700 MB become 390 MB for a tenth more CPU (8 MB: half more CPU).
 */
export const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100'];
