import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDaemon } from './daemon.ts';
import { cpuMicrosOf, forgetPeak, peakMemoryMb } from './process-cost.ts';

export interface Measured {
  readonly name: string;
  readonly rows: number;
  readonly seconds: number;
  readonly nodeMicros: number;
  /** CPU of the store. */
  readonly postgresMicros: number;
  /** CPU of a warehouse that is a server of its own. */
  readonly warehouseMicros?: number;
  readonly peakMb: number | null;
}

const PIPELINES = '/inputs/data-pipelines';

/** Triggers the pipeline, waits for its run, and measures daemon, store and, where one is given, warehouse meanwhile. */
export async function measureRun(
  daemon: BenchDaemon,
  pipeline: { readonly id: string; readonly name: string },
  warehousePid?: number,
): Promise<Measured> {
  const { api, pid, storePid } = daemon;
  forgetPeak(pid);
  const costs = () => [
    cpuMicrosOf(pid),
    cpuMicrosOf(storePid, { withChildren: true }),
    warehousePid === undefined ? 0 : cpuMicrosOf(warehousePid, { withChildren: true }),
  ];
  const before = costs();
  const started = performance.now();
  const { pipeline_run_id: run } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: pipeline.id });
  for (;;) {
    const now = await api.get(`${PIPELINES}/${pipeline.id}/runs/${run}`);
    if (now.status === 'success') {
      const seconds = (performance.now() - started) / 1000;
      const [nodeMicros = 0, postgresMicros = 0, warehouse = 0] = costs().map((cost, i) => cost - (before[i] ?? 0));
      const rows = Number(now.successful_records);
      const measured = { name: pipeline.name, rows, seconds, nodeMicros, postgresMicros, peakMb: peakMemoryMb(pid) };
      return warehousePid === undefined ? measured : { ...measured, warehouseMicros: warehouse };
    }
    if (now.status === 'failed') throw new Error(JSON.stringify(now.errors));
    // short runs are asked often, so that the wait adds 5 % at most
    const waited = performance.now() - started;
    await sleep(Math.min(100, Math.max(10, waited / 20)));
  }
}

/** Returns one line a step; `times` are the steps that all others are compared with, by the name of their column. */
export function tableOf(
  all: readonly Measured[],
  times: Readonly<Record<string, Measured>>,
): readonly Readonly<Record<string, unknown>>[] {
  const each = ({ rows, seconds }: Measured) => seconds / Math.max(rows, 1);
  const perRow = (micros: number, { rows }: Measured) => Number((micros / rows).toFixed(2));
  return all.map((measured) => ({
    step: measured.name,
    rows: measured.rows,
    'rows/s': Math.round(1 / each(measured)),
    'µs node': perRow(measured.nodeMicros, measured),
    'µs postgres': perRow(measured.postgresMicros, measured),
    ...(measured.warehouseMicros === undefined ? {} : { 'µs warehouse': perRow(measured.warehouseMicros, measured) }),
    'peak MB': measured.peakMb,
    ...Object.fromEntries(
      Object.entries(times).map(([name, other]) => [`× ${name}`, Number((each(measured) / each(other)).toFixed(2))]),
    ),
  }));
}
