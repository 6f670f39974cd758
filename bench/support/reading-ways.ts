// Ways of reading one table, measured one after the other and compared with one of them.
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../bin/node-flags.mjs';
import type { ReadRequest, Session } from '../../src/warehouse/index.ts';

const ROUNDS = 3;

/** Reads the whole table at `place` and answers how many rows came. */
export type ReadingWays = Readonly<Record<string, (place: string) => Promise<number>>>;

interface Figure {
  readonly way: string;
  readonly rowsPerSecond: number;
  /** Of this process alone: a warehouse that is a server of its own works beside it. */
  readonly cpuMicrosPerRow: number;
  readonly peakRssMb: number;
  /** How long nothing else of the process could run. */
  readonly longestGapMs: number;
}

export async function countRows(session: Session, request: ReadRequest): Promise<number> {
  const { chunks } = await session.read(request, new AbortController().signal);
  let rows = 0;
  for await (const chunk of chunks) rows += chunk.length;
  return rows;
}

/** Prints the best of some rounds, for `compareWays` to read. */
export async function measureWay(ways: ReadingWays, way: string, place: string): Promise<void> {
  const work = ways[way];
  if (work === undefined) throw new Error(`No way called ${way}.`);
  let [rowsPerSecond, cpuMicrosPerRow] = [0, Number.POSITIVE_INFINITY];
  const gaps = monitorEventLoopDelay({ resolution: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    // compiling, and loading a driver, are the first round's
    if (round > 0) gaps.enable();
    const cpu = process.cpuUsage();
    const start = performance.now();
    const rows = await work(place);
    rowsPerSecond = Math.max(rowsPerSecond, (rows / (performance.now() - start)) * 1000);
    const { user, system } = process.cpuUsage(cpu);
    cpuMicrosPerRow = Math.min(cpuMicrosPerRow, (user + system) / rows);
  }
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  const longestGapMs = gaps.max / 1e6;
  console.log(JSON.stringify({ way, rowsPerSecond, cpuMicrosPerRow, peakRssMb, longestGapMs } satisfies Figure));
}

interface Comparison {
  readonly script: string;
  readonly place: string;
  /** The way that the ratios are to. */
  readonly raw: string;
}

/** Each runs in a process of its own as the daemon is started, so that memory and compiled code of one neither help nor hurt the next. */
export function compareWays(ways: ReadingWays, { script, place, raw }: Comparison): void {
  const env = { ...process.env, ...NODE_ENVIRONMENT };
  const run = (way: string) =>
    execFileSync(process.execPath, [...NODE_FLAGS, script, way, place], { encoding: 'utf8', env });
  const figures = Object.keys(ways).map((way) => JSON.parse(run(way)) as Figure);
  const rawRate = figures.find(({ way }) => way === raw)?.rowsPerSecond ?? Number.NaN;
  const titles = ['rows/s', 'µs CPU/row', 'peak RSS MB', 'gap ms', 'ratio'];
  console.log(['way'.padEnd(38), ...titles.map((title) => title.padStart(13))].join(''));
  for (const { way, rowsPerSecond, cpuMicrosPerRow, peakRssMb, longestGapMs } of figures) {
    const rows = Math.round(rowsPerSecond).toLocaleString('en');
    const ratio = (rowsPerSecond / rawRate).toFixed(2);
    const cells = [rows, cpuMicrosPerRow.toFixed(2), peakRssMb.toFixed(0), longestGapMs.toFixed(0), ratio];
    console.log([way.padEnd(38), ...cells.map((cell) => cell.padStart(13))].join(''));
  }
  console.log(JSON.stringify(figures));
}
