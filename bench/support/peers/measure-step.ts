import { readFileSync } from 'node:fs';
import { cpuMicrosOf } from '../process-cost.ts';

/** Processes of one round. */
export interface Meters {
  /** Server of the table. */
  readonly warehousePid: number;
  /** Server of Penstock's store and of the tables that the others write. */
  readonly storePid: number;
}

/** Name and size of a step. */
export interface StepName {
  readonly name: string;
  /** Steps of one task are compared with Sling's and with the floor's. */
  readonly task: 'full' | 'first incremental' | 'changes';
  readonly rows: number;
}

export interface MeasuredStep extends StepName {
  readonly seconds: number;
  /** CPU of the program itself and of processes that it ran. */
  readonly ownMicros: number;
  readonly warehouseMicros: number;
  readonly storeMicros: number;
  readonly peakMb: number;
  /** Cores that processes outside of the bench kept busy meanwhile. */
  readonly othersCores: number;
}

/**
 * Measures `work`, which returns a peak in MiB. `pid` is the process that works; without one, this process and the programs
 * that it runs.
 */
export async function measureStep(
  { warehousePid, storePid }: Meters,
  { pid = process.pid, ...step }: StepName & { readonly pid?: number },
  work: () => Promise<number>,
): Promise<MeasuredStep> {
  const read = () => ({
    own: cpuMicrosOf(pid),
    warehouse: cpuMicrosOf(warehousePid, { withChildren: true }),
    store: cpuMicrosOf(storePid, { withChildren: true }),
    bench: pid === process.pid ? 0 : cpuMicrosOf(process.pid),
    machine: machineMicros(),
  });
  const before = read();
  const started = performance.now();
  const peakMb = await work();
  const seconds = (performance.now() - started) / 1000;
  const after = read();
  const [own, warehouse, store] = [
    after.own - before.own,
    after.warehouse - before.warehouse,
    after.store - before.store,
  ];
  const others = after.machine - before.machine - own - warehouse - store - (after.bench - before.bench);
  return {
    ...{ ...step, seconds, ownMicros: own, warehouseMicros: warehouse, storeMicros: store, peakMb },
    othersCores: Math.max(0, others / (seconds * 1e6)),
  };
}

/** Reads the CPU that all processes of the machine have used, in µs: proc(5), stat, without idle, waiting and guests. */
function machineMicros(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) * 10_000;
}
