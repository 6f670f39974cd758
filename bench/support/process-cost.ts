import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const MICROS_PER_TICK = 10_000;

interface ProcessTimes {
  readonly parent: number;
  /** Its own and those of children that ended. */
  readonly ticks: number;
}

/** Reads the CPU of a process in µs since it began; with `withChildren`, also of its children, past and present. Linux only. */
export function cpuMicrosOf(pid: number, { withChildren = false } = {}): number {
  let ticks = readTimes(pid)?.ticks ?? 0;
  if (!withChildren) return ticks * MICROS_PER_TICK;
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times?.parent === pid) ticks += times.ticks;
  }
  return ticks * MICROS_PER_TICK;
}

/** Reads the fields behind the command's closing bracket: proc(5), stat. */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}

/** Reads the peak memory of a process since `forgetPeak`, in MiB. */
export function peakMemoryMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
