// `npm run bench -- ingest [seconds] [people]`: batches of three events over HTTP into the real daemon, durable and resolved,
// as fast as they are taken and at half of that; the same server without storing; bulk requests of a hundred batches; and
// identify requests, with `people` profiles there. Load generator, daemon and PostgreSQL share the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { bareEnvironment } from '../test/support/crashes/penstock-process.ts';
import { type BenchDaemon, openBenchInput, startBenchDaemon } from './support/daemon.ts';
import type { LoadOrder } from './support/load-shape.ts';
import { cpuMicrosOf } from './support/process-cost.ts';
import { runLoad } from './support/run-load.ts';
import { seedPeople } from './support/seed-people.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const SECONDS = Number(positionals[0] ?? 10);
const PEOPLE = Number(positionals[1] ?? 1_000_000);
const SUPPORT = join(import.meta.dirname, 'support');

interface Target {
  readonly url: string;
  readonly pid: number;
  readonly storePid: number;
}

type Load = Pick<LoadOrder, 'kind' | 'path' | 'connections' | 'perSecond'>;

interface Measured {
  readonly step: string;
  readonly 'per s': number;
  readonly p50: number;
  readonly p99: number;
  readonly 'µs node': number;
  readonly 'µs postgres': number;
  readonly 'µs load': number;
  readonly refused: number;
}

let loads = 0;

async function measure(
  step: string,
  { url, pid, storePid }: Target,
  { authorization, ...order }: Load & { readonly authorization: string },
): Promise<Measured> {
  const { hostname: host, port } = new URL(url);
  const cpu = () => ({ node: cpuMicrosOf(pid), postgres: cpuMicrosOf(storePid, { withChildren: true }) });
  const rest = { host, port: Number(port), authorization, people: PEOPLE };
  const before = cpu();
  const result = await runLoad({ ...order, ...rest, seconds: SECONDS, salt: `${process.pid}-${loads++}` });
  const after = cpu();
  const each = (micros: number) => Math.round(micros / Math.max(1, result.answered));
  const measured = {
    ...{ step, 'per s': Math.round(result.answered / result.seconds) },
    ...{ p50: Number(result.p50Ms.toFixed(1)), p99: Number(result.p99Ms.toFixed(1)) },
    ...{ 'µs node': each(after.node - before.node), 'µs postgres': each(after.postgres - before.postgres) },
    ...{ 'µs load': each(result.cpuMicros), refused: Object.values(result.refused).reduce((sum, one) => sum + one, 0) },
  };
  console.error(JSON.stringify(measured));
  return measured;
}

async function measureAnswering(daemon: BenchDaemon, order: Load & { readonly authorization: string }) {
  const env = bareEnvironment(daemon.options);
  const server = spawn(process.execPath, [join(SUPPORT, 'answering-server.ts')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
  try {
    return await measure(
      `${order.connections} connections, nothing stored`,
      { ...daemon, url, pid: server.pid ?? 0 },
      order,
    );
  } finally {
    server.kill();
    await once(server, 'close');
  }
}

async function main(): Promise<void> {
  await using daemon = await startBenchDaemon();
  const authorization = await openBenchInput(daemon);
  await seedPeople(daemon, PEOPLE);
  const batches = { kind: 'batch', path: '/v2/events', authorization } as const;
  const measured: Measured[] = [];
  await measure('warm-up', daemon, { ...batches, connections: 64 });
  for (const connections of [64, 256]) {
    const stored = await measure(`${connections} connections`, daemon, { ...batches, connections });
    const perSecond = Math.round(stored['per s'] / 2);
    measured.push(stored);
    measured.push(
      await measure(`${connections} connections, half of that`, daemon, { ...batches, connections, perSecond }),
    );
    measured.push(await measureAnswering(daemon, { ...batches, connections }));
  }
  const bulk = { kind: 'bulk', path: '/v2/bulkevents', authorization, connections: 64 } as const;
  measured.push(await measure('bulk of 100, 64 connections', daemon, bulk));
  const identify = { kind: 'identify', path: '/v1/identify', authorization } as const;
  for (const connections of [64, 256])
    measured.push(await measure(`identify, ${connections} connections`, daemon, { ...identify, connections }));
  console.table(measured);
  console.log(JSON.stringify({ people: PEOPLE, seconds: SECONDS, measured }));
}

await main();
