import { readdirSync, readFileSync } from 'node:fs';
import type { Sql } from '../../src/store/index.ts';

/** Linux counts in hundredths of a second. */
const MICROS_PER_TICK = 10_000;

interface ProcessTimes {
  readonly parent: number;
  readonly ownTicks: number;
  /** Of children that ended. */
  readonly goneTicks: number;
}

/** CPU of this process and of the server's processes, in µs since each began. */
export interface CpuMicros {
  readonly node: number;
  readonly postgres: number;
}

/** Measures the server that `sql` talks to; it must run on this machine, under Linux. */
export async function cpuMeter(sql: Sql): Promise<() => CpuMicros> {
  const [backend] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = readTimes(backend?.pid ?? 0)?.parent ?? 0;
  return () => {
    const { user, system } = process.cpuUsage();
    return { node: user + system, postgres: serverTicks(server) * MICROS_PER_TICK };
  };
}

function serverTicks(server: number): number {
  const main = readTimes(server);
  let ticks = (main?.ownTicks ?? 0) + (main?.goneTicks ?? 0);
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(Number(name)) : undefined;
    if (times?.parent === server) ticks += times.ownTicks;
  }
  return ticks;
}

/** proc(5), stat: the fields behind the command's closing bracket. */
function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0] = fields.slice(1);
    const [user = 0, system = 0, goneUser = 0, goneSystem = 0] = fields.slice(11);
    return { parent, ownTicks: user + system, goneTicks: goneUser + goneSystem };
  } catch {
    return undefined;
  }
}
