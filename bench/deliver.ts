// People into profiles without a warehouse: what one delivery costs Node and PostgreSQL, and how far that is from COPY of
// the same bytes into the same store. `npm run bench -- deliver [rows] [rows a chunk] [people erased before]`.
import { parseArgs } from 'node:util';
import {
  createIdentities,
  createTombstones,
  deliverInTransaction,
  type Identity,
  type Person,
  type ResolutionScope,
  runExclusively,
} from '../src/identity/index.ts';
import { Secret, systemClock, workspaceId } from '../src/kernel/index.ts';
import type { Store } from '../src/store/index.ts';
import { openBenchStore } from './support/bench-store.ts';
import { mainPidOf } from './support/daemon.ts';
import { cpuMicrosOf, forgetPeak, peakMemoryMb } from './support/process-cost.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const ROWS = Number(positionals[0] ?? 1_000_000);
const CHUNK_ROWS = Number(positionals[1] ?? 20_000);
const ERASED = Number(positionals[2] ?? 0);
const KEY = new Secret('bench');
const NAMES = Array.from({ length: 10 }, (_, i) => `attribute_${i}`);
const WORKSPACE = workspaceId(1n);

interface Scenario {
  readonly name: string;
  readonly mode: ResolutionScope['mode'];
  readonly setAt: bigint;
  /** Text of attribute `column` of row `index`. */
  readonly text: (index: number, column: number) => string;
}

const before = (index: number, column: number) =>
  column % 2 === 0 ? `"value ${column} of ${index}"` : String(index * 10 + column);
const halfChanged = (index: number, column: number) => before(column < 5 ? index + 7 : index, column);

const SCENARIOS: readonly Scenario[] = [
  { name: 'nobody known', mode: 'full', setAt: 1_700_000_000_000_000n, text: before },
  { name: 'unchanged, full', mode: 'full', setAt: 1_700_000_001_000_000n, text: before },
  { name: 'half changed, full', mode: 'full', setAt: 1_700_000_002_000_000n, text: halfChanged },
  { name: 'half changed, incremental', mode: 'incremental', setAt: 1_700_000_003_000_000n, text: before },
  { name: 'delivered again, incremental', mode: 'incremental', setAt: 1_700_000_003_000_000n, text: before },
];

function people({ text, setAt }: Scenario, start: number): Person[] {
  return Array.from({ length: Math.min(CHUNK_ROWS, ROWS - start) }, (_, i) => {
    const index = start + i;
    return {
      identities: [
        { type: 'customer_id', value: `customer-${index}` },
        { type: 'email', value: `user${index}@example.com` },
      ],
      attributes: { names: NAMES, texts: NAMES.map((_name, column) => text(index, column)) },
      setAt,
    };
  });
}

/** CPU of this process and of the server's processes, in µs. */
interface CpuMicros {
  readonly node: number;
  readonly postgres: number;
}

interface Cost extends CpuMicros {
  readonly ms: number;
  /** Peak memory of this process, with the rows that the bench makes up. */
  readonly peakMb: number;
}

/** Measures the server that the store talks to; it runs on this machine. */
async function cpuMeter(store: Store): Promise<() => CpuMicros> {
  const server = await mainPidOf(store);
  return () => ({ node: cpuMicrosOf(process.pid), postgres: cpuMicrosOf(server, { withChildren: true }) });
}

/** Adds up what `work` costs; what lies between two calls is not counted. */
function stopwatch(meter: () => CpuMicros) {
  const cost = { ms: 0, node: 0, postgres: 0, peakMb: 0 };
  forgetPeak(process.pid);
  return {
    cost: cost as Cost,
    async measure<Result>(work: () => Promise<Result>): Promise<Result> {
      const start = { ms: performance.now(), ...meter() };
      const result = await work();
      const end = { ms: performance.now(), ...meter() };
      cost.ms += end.ms - start.ms;
      cost.node += end.node - start.node;
      cost.postgres += end.postgres - start.postgres;
      cost.peakMb = peakMemoryMb(process.pid);
      return result;
    },
  };
}

/** As the engine does it: the next chunk is prepared while this one is delivered. */
async function deliverAll(store: Store, meter: () => CpuMicros, scenario: Scenario): Promise<Cost> {
  const identities = createIdentities({ key: KEY, clock: systemClock });
  const scope: ResolutionScope = { workspaceId: WORKSPACE, environment: 'production', mode: scenario.mode };
  const watch = stopwatch(meter);
  let first = people(scenario, 0);
  let prepared = await watch.measure(() => identities.prepare(scope, first));
  for (let start = 0; start < ROWS; start += CHUNK_ROWS) {
    first = people(scenario, start + CHUNK_ROWS);
    const chunk = prepared;
    [prepared] = await watch.measure(() =>
      Promise.all([
        identities.prepare(scope, first),
        deliverInTransaction(store, scope.workspaceId, (tx, exclusive) => identities.deliver(tx, chunk, exclusive)),
      ]),
    );
  }
  return watch.cost;
}

/** COPY of the same bytes, chunk by chunk, without an index: the least that keeping them costs. */
async function copyAll(store: Store, meter: () => CpuMicros): Promise<Cost> {
  const names = ['customer_id', 'email', ...NAMES];
  await store.execute(`CREATE TABLE bench_copy (${names.map((name) => `${name} text`).join(', ')})`);
  const columns = names.map((name) => ({ name, type: 'text' as const }));
  const watch = stopwatch(meter);
  for (let start = 0; start < ROWS; start += CHUNK_ROWS) {
    const rows = people({ ...(SCENARIOS[0] as Scenario) }, start).map(({ identities, attributes }) => [
      ...identities.map(({ value }) => value),
      ...(attributes.texts as string[]),
    ]);
    await watch.measure(() =>
      store.transaction((tx) => tx.copyIn({ table: 'bench_copy', columns }, rows.length, (i) => rows[i] ?? [])),
    );
  }
  await store.execute('DROP TABLE bench_copy');
  return watch.cost;
}

/** Tombstones of people who do not come again: two in each of two environments. */
async function eraseStrangers(store: Store): Promise<void> {
  if (ERASED === 0) return;
  const identities = Array.from({ length: ERASED }, (_, i): readonly Identity[] => [
    { type: 'customer_id', value: `stranger-${i}` },
    { type: 'email', value: `stranger${i}@example.com` },
  ]);
  const erasure = { workspaceId: WORKSPACE, people: [], identities: identities.flat(), nowMs: systemClock.nowMs() };
  const started = performance.now();
  const { tombstones } = await runExclusively(store, WORKSPACE, (tx) => createTombstones(KEY).erasePeople(tx, erasure));
  console.log(`${tombstones} tombstones in ${Math.round(performance.now() - started)} ms`);
}

function print(name: string, cost: Cost, copy: Cost): void {
  const perRow = (micros: number) => (micros / ROWS).toFixed(2).padStart(6);
  const rate = Math.round(ROWS / (cost.ms / 1000)).toLocaleString('en');
  const ratio = (cost.ms / copy.ms).toFixed(2);
  const peakMb = String(cost.peakMb).padStart(4);
  const cpu = `node ${perRow(cost.node)} µs   postgres ${perRow(cost.postgres)} µs`;
  console.log(`${name.padEnd(30)} ${rate.padStart(9)} rows/s   ${cpu}   ${peakMb} MB   ${ratio} × COPY`);
}

async function main(): Promise<void> {
  await using store = await openBenchStore();
  const meter = await cpuMeter(store);
  const copy = await copyAll(store, meter);
  console.log(`${ROWS.toLocaleString('en')} rows of 2 identities and 10 attributes, chunks of ${CHUNK_ROWS}`);
  print('COPY alone', copy, copy);
  await eraseStrangers(store);
  for (const scenario of SCENARIOS) print(scenario.name, await deliverAll(store, meter, scenario), copy);
}

await main();
