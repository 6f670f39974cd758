/**
 * How V8 and the C library are told to keep the daemon small; package.json and the Dockerfile say the same. Left alone V8
 * takes what a large machine offers: 130 MB for young objects before anything runs, and four times what is alive for the old
 * ones. 8 MB for the young would save 10 to 15 MB of it and cost a fifth more CPU a row than 16. A growth of 100 costs 25 MB
 * and saves nothing; one of 30 saves 15 MB and costs a third more CPU a row of what is delivered. One thread looks through
 * the young: several wait for each other where store and daemon share two cores. Without a bound glibc keeps an arena a
 * thread, and keeps buffers that are gone: giving those of 16 KB and more back at once saves 30 MB, and costs no CPU that was
 * seen. Name lookups share a pool of threads with gzip and files: of the usual four, as many that hang leave none.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=60', '--no-parallel-scavenge'];
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '16384', UV_THREADPOOL_SIZE: '16' };
