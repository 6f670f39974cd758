/**
 * How V8 and the C library are told to keep the daemon small; package.json and the Dockerfile say the same. Left alone V8
 * takes what a large machine offers: 130 MB for young objects before anything runs, and four times what is alive for the old
 * ones. Rows are let go while they are young, so that 8 MB for them cost no more than 16; 40 for the growth would save
 * another 10 MB and cost a fifth more CPU. Without a bound glibc gives each thread an arena of its own, which keeps some 10 MB.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=60'];
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
