/**
 * How V8 is told to keep the daemon small; package.json and the Dockerfile say the same. Left alone it takes what a large
 * machine offers: 130 MB for young objects before anything runs, and four times what is alive for the old ones. With
 * these, chunks of 10,000 rows and 64 MB for DuckDB the daemon peaks at 350 to 380 MB, some 30 MB less with 5,000; 8 MB
 * for young objects would cost half more CPU.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100'];
