// Cost of a row by step, from a DuckDB file into profiles: `npm run bench -- budget [rows] [rows a chunk]`, 300,000 and 10,000
// unless told otherwise. CPU, not elapsed time, because a busy machine changes it less. Steps up to the mapping are differences
// of passes that do one step more each, medians of three. The delivery is one run as the engine does it, less these steps.
// Statements are charged with the CPU of their backend. The ledger, fence and counters of a run are not part of this bench,
// and Node's part of a delivery is one figure: its look-up, merge and COPY take turns on one thread.
// /proc is read, so this runs under Linux only.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Store } from '../src/store/index.ts';
import { openBenchStore } from './support/bench-store.ts';
import { type CpuSample, combineCpu, NO_CPU, readCpu } from './support/budget/cpu-sample.ts';
import { openRowPasses, type RowPasses } from './support/budget/row-passes.ts';
import type { StatementCosts } from './support/budget/watch-statements.ts';
import { mainPidOf } from './support/daemon.ts';
import { changeHalf, createPeople } from './support/people-warehouse.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROWS = Number(positionals[0] ?? 300_000);
const CHUNK_ROWS = Number(positionals[1] ?? 10_000);
const ROUNDS = 3;
const DATABASE = 'people.duckdb';
/** Statements below this are one line. */
const LEAST_MICROS = 0.04;

type Measure = (work: () => Promise<void>) => Promise<CpuSample>;

const minus = (one: CpuSample, other: CpuSample) => combineCpu(one, other, (left, right) => left - right);

/** Measures the passes up to the mapping in turn, and returns what each step adds. */
async function measureSteps(passes: RowPasses, measure: Measure): Promise<readonly (readonly [string, CpuSample])[]> {
  await passes.map();
  const rounds: CpuSample[][] = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push([await measure(passes.read), await measure(passes.hash), await measure(passes.map)]);
  const median = (step: number) => {
    const samples = rounds.map((round) => round[step] ?? NO_CPU);
    const sorted = (name: keyof CpuSample) => samples.map((sample) => sample[name]).sort((left, right) => left - right);
    const middle = (name: keyof CpuSample) => sorted(name)[Math.floor(ROUNDS / 2)] ?? 0;
    return { main: middle('main'), threads: middle('threads'), duckdb: middle('duckdb'), postgres: middle('postgres') };
  };
  const [read, hash, map] = [median(0), median(1), median(2)];
  return [
    ['read the rows', read],
    ['hash and keep the row', minus(hash, read)],
    ['map, JSON, keys, sort', minus(map, hash)],
  ];
}

interface Delivered {
  readonly cpu: CpuSample;
  readonly costs: StatementCosts;
}

/** Delivers all rows through a session of its own, because the file may have changed. */
async function deliver(folder: string, store: Store): Promise<Delivered> {
  await using passes = await openRowPasses({ folder, database: DATABASE, chunkRows: CHUNK_ROWS });
  const costs: StatementCosts = new Map();
  const cpu = await measureWith(await mainPidOf(store))(() => passes.deliver(store, costs));
  return { cpu, costs };
}

function measureWith(storePid: number): Measure {
  return async (work) => {
    const before = readCpu(storePid);
    await work();
    return minus(readCpu(storePid), before);
  };
}

type Step = readonly [name: string, cpu: CpuSample];

function print(scenario: string, steps: readonly Step[], { cpu, costs }: Delivered): void {
  const mapped = steps.reduce((sum, [, step]) => combineCpu(sum, step, (left, right) => left + right), NO_CPU);
  const statements = [...costs].filter(([, micros]) => micros / ROWS >= LEAST_MICROS).sort(([, a], [, b]) => b - a);
  const charged = statements.reduce((sum, [, micros]) => sum + micros, 0);
  const rest: Step = ['store: other statements and processes', { ...NO_CPU, postgres: cpu.postgres - charged }];
  const lines: readonly Step[] = [
    ...steps,
    ['look up, merge, COPY bytes, socket', { ...minus(cpu, mapped), postgres: 0 }],
    ...statements.map(([text, postgres]): Step => [`store: ${text}`, { ...NO_CPU, postgres }]),
    rest,
    ['sum', cpu],
  ];
  const perRow = (micros: number) => (micros === 0 ? '' : Number((micros / ROWS).toFixed(2)));
  const table = lines.map(([step, { main, threads, duckdb, postgres }]) => ({
    ...{ step, 'µs main thread': perRow(main), 'µs other threads': perRow(threads) },
    ...{ 'µs DuckDB': perRow(duckdb), 'µs PostgreSQL': perRow(postgres) },
  }));
  console.log(`\n${scenario}, ${ROWS} rows, chunks of ${CHUNK_ROWS}, load ${loadavg()[0]?.toFixed(1)}`);
  console.table(table);
  console.log(JSON.stringify({ scenario, rows: ROWS, chunkRows: CHUNK_ROWS, table }));
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-budget-'));
  try {
    await createPeople(join(folder, DATABASE), ROWS);
    await using store = await openBenchStore();
    const measure = measureWith(await mainPidOf(store));
    const passes = await openRowPasses({ folder, database: DATABASE, chunkRows: CHUNK_ROWS });
    const steps = await measureSteps(passes, measure);
    await passes[Symbol.asyncDispose]();
    print('nobody known', steps, await deliver(folder, store));
    print('unchanged', steps, await deliver(folder, store));
    await changeHalf(join(folder, DATABASE), 1);
    print('half changed', steps, await deliver(folder, store));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
