import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../src/kernel/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { openSharedFile } from '../wire/shared-file.ts';

/** A running child. */
export interface StartedChild {
  readonly process: ChildProcess;
  /** Descriptor of the file in which it hands rows over (`wire/shared-file.ts`). */
  readonly file: number;
  /** Returns the end of what it wrote to stderr, such as the reason why it broke off. */
  lastWords(): string;
}

const MAIN = fileURLToPath(new URL('../child/main.ts', import.meta.url));
const MEBIBYTE = 1 << 20;
/**
 * Memory of a child beside DuckDB's: Node and the SDK take 90 MiB, and a statement some for each thread and each value outside
 * DuckDB's own limit.
 */
const BESIDE_MB = 256;
/** Address space that Node reserves for compiled code, writable and hardly ever used, which the limit counts all the same. */
const RESERVED_MB = 576;
const LAST_CHARS = 2000;
/** Memory that is freed goes back to the kernel at once, so that the limit does not count it; DuckDB has an allocator of its own. */
const CHILD_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  DUCKDB_JE_MALLOC_CONF: 'retain:false,dirty_decay_ms:0,muzzy_decay_ms:0',
  UV_THREADPOOL_SIZE: '4',
};

type Run = (command: string, given: readonly string[], options: SpawnOptions) => ChildProcess;

/**
 * Starts a child that may take about twice the memory that DuckDB is told to keep to, because DuckDB's own limit covers its
 * buffers only and not a value that a function builds. RLIMIT_DATA makes allocations beyond it fail, which DuckDB reports as
 * an error of the statement; `ulimit -d` of a POSIX shell sets it. No core is written, since it would hold customers' rows.
 * The child gets none of the daemon's environment, which may hold secrets.
 * Throws WAREHOUSE_THROTTLED where the machine has reached a limit, and WAREHOUSE_UNREACHABLE where it refuses otherwise.
 */
export function startChild(memoryMb: number, folder: string, run: Run = spawn): StartedChild {
  let file: number | undefined;
  try {
    file = openSharedFile(folder);
    return startOver(file, memoryMb, run);
  } catch (failure) {
    if (file !== undefined) closeSync(file);
    throw cannotStart(failure);
  }
}

const NO_SPACE = 'Free space on the disk of the workspace’s folder';

/** Advice by the limit of the machine that is reached. */
const ADVICE: Readonly<Record<string, string>> = {
  EMFILE: 'Raise the limit of open files (ulimit -n, LimitNOFILE in systemd)',
  ENFILE: 'Raise the limit of open files of the machine (fs.file-max)',
  EAGAIN: 'Raise the limit of processes (ulimit -u, TasksMax in systemd)',
  ENOMEM: 'Give the machine more memory, or reduce PENSTOCK_DUCKDB_MEMORY_MB or PENSTOCK_WORKERS',
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
};

/** Returns the error of a child that could not be started. Leaves out the message of the cause, which may name paths. */
export function cannotStart(cause: unknown): AppError {
  const code = String(fieldOf(cause, 'code') ?? 'unknown reason');
  const advice = ADVICE[code];
  const message = `The process of DuckDB could not be started (${code}). ${advice ?? OTHER_ADVICE}; Penstock tries again.`;
  return new AppError(advice === undefined ? 'WAREHOUSE_UNREACHABLE' : 'WAREHOUSE_THROTTLED', message, { cause });
}

const OTHER_ADVICE = 'Let the user that runs Penstock write to the workspace’s folder and start /bin/sh';

function startOver(file: number, memoryMb: number, run: Run): StartedChild {
  const mostMb = 2 * memoryMb + BESIDE_MB;
  const dataKib = (mostMb + RESERVED_MB) * 1024;
  const node = [
    process.execPath,
    '--max-old-space-size=256',
    '--v8-pool-size=1',
    // the memory is DuckDB's, and little of it the heap's, whose collector would run for every 30 pieces
    '--heap-growing-percent=1000',
    '--expose-gc',
    '--disable-warning=ExperimentalWarning',
  ];
  const script = 'ulimit -c 0; ulimit -d "$0"; exec "$@"';
  const child = run('/bin/sh', ['-c', script, String(dataKib), ...node, MAIN, String(mostMb * MEBIBYTE)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', file],
    env: CHILD_ENVIRONMENT,
    cwd: '/',
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-LAST_CHARS);
  });
  return { process: child, file, lastWords: () => said };
}
