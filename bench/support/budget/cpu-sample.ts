import { readdirSync, readFileSync } from 'node:fs';
import { cpuMicrosOf } from '../process-cost.ts';

/** CPU in µs: of the main thread, of V8's other threads, of the child that holds DuckDB, and of the store's processes. */
export interface CpuSample {
  readonly main: number;
  readonly threads: number;
  readonly duckdb: number;
  readonly postgres: number;
}

export const NO_CPU: CpuSample = { main: 0, threads: 0, duckdb: 0, postgres: 0 };
const NAMES = ['main', 'threads', 'duckdb', 'postgres'] as const;

/** Reads what each part of this bench has used. A child of this process that is not the store's is the one of DuckDB. */
export function readCpu(storePid: number): CpuSample {
  const main = scheduledMicros(`/proc/${process.pid}/task/${process.pid}`);
  const all = readdirSync('/proc/self/task').reduce((sum, id) => sum + scheduledMicros(`/proc/self/task/${id}`), 0);
  const children = cpuMicrosOf(process.pid, { withChildren: true }) - cpuMicrosOf(process.pid);
  return {
    ...{ main, threads: all - main, duckdb: children - cpuMicrosOf(storePid) },
    postgres: cpuMicrosOf(storePid, { withChildren: true }),
  };
}

/** Combines two samples part by part. */
export function combineCpu(one: CpuSample, other: CpuSample, by: (one: number, other: number) => number): CpuSample {
  return Object.fromEntries(NAMES.map((name) => [name, by(one[name], other[name])])) as unknown as CpuSample;
}

/** Reads the CPU of one thread, or of a process with one thread; 0 where it has ended. Counted in ns, unlike proc(5), stat. */
export function scheduledMicros(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1000;
  } catch {
    return 0;
  }
}
