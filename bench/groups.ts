// `npm run bench -- groups [people] [groups]`: the weekly run of the real daemon over `people` profiles in `groups` groups with
// four aggregates, while batches come in over HTTP: how long it takes, what the daemon holds, and how the batches fare before
// and during it. The first run, and runs after it, in which little changed.
import { parseArgs } from 'node:util';
import { listGroupRuns, requestGroupRun } from '../src/groups/index.ts';
import { createDefinition } from '../src/groups/save-definition.ts';
import { openJobSender } from '../src/jobs/index.ts';
import { createLog, systemClock, type WorkspaceId, workspaceId } from '../src/kernel/index.ts';
import { type BenchDaemon, openBenchInput, startBenchDaemon } from './support/daemon.ts';
import { forgetPeak, peakMemoryMb } from './support/process-cost.ts';
import { runLoad } from './support/run-load.ts';
import { seedPeople } from './support/seed-people.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const PEOPLE = Number(positionals[0] ?? 1_000_000);
const GROUPS = Number(positionals[1] ?? PEOPLE / 10);
const LOAD_SECONDS = 10;
const PER_SECOND = 100;

const NAMES = ['company', 'revenue', 'score', 'subscribed', 'plan', 'city', 'visits'];
const companyOf = (number: number) => `"company ${number % GROUPS}"`;
const textsOf = (number: number) => [
  ...[companyOf(number), `${number % 1000}.${number % 100}`, `"${number % 77}"`, String(number % 7 === 0)],
  ...[`"plan ${number % 5}"`, '"Uppsala"', String(number)],
];

interface Bench {
  readonly daemon: BenchDaemon;
  readonly workspaceId: WorkspaceId;
  readonly authorization: string;
}

let loads = 0;

/** Batches of people who stay in their groups, as many a second as a busy shop sends. */
async function loadFor({ daemon, authorization }: Bench, seconds: number) {
  const { hostname: host, port } = new URL(daemon.url);
  const { p50Ms, p99Ms, refused } = await runLoad({
    ...{ host, port: Number(port), path: '/v2/events', authorization, kind: 'batch', connections: 16 },
    ...{ seconds, perSecond: PER_SECOND, people: PEOPLE, salt: `${process.pid}-${loads++}` },
  });
  return { p50: p50Ms.toFixed(1), p99: p99Ms.toFixed(1), refused: Object.values(refused).reduce((a, b) => a + b, 0) };
}

async function request({ daemon: { store }, workspaceId }: Bench): Promise<void> {
  await using jobs = await openJobSender({ store, clock: systemClock, log: createLog('error') });
  await requestGroupRun({ store, clock: systemClock, jobs }, { workspaceId, actor: 'bench' });
}

async function endOfRun({ daemon: { store }, workspaceId }: Bench) {
  for (;;) {
    const [run] = await listGroupRuns(store, workspaceId, { limit: 1, offset: 0, from: undefined, to: undefined });
    if (run?.endedOn && run.startedOn)
      return { run, seconds: (run.endedOn.getTime() - run.startedOn.getTime()) / 1000 };
    await systemClock.sleep(200);
  }
}

async function measure(bench: Bench, step: string, withLoad: boolean) {
  const { daemon } = bench;
  forgetPeak(daemon.pid);
  await request(bench);
  const during: Record<string, string | number>[] = [];
  let isOver = false;
  const end = endOfRun(bench).then((ended) => {
    isOver = true;
    return ended;
  });
  while (withLoad && !isOver) during.push(await loadFor(bench, LOAD_SECONDS));
  const { run, seconds } = await end;
  const { production } = run.counts;
  const worst = during.toSorted((one, other) => Number(other.p99) - Number(one.p99))[0] ?? {};
  const measured = { step, seconds, 'peak MB': peakMemoryMb(daemon.pid), ...worst, ...production, status: run.status };
  console.error(JSON.stringify(measured));
  return measured;
}

async function main(): Promise<void> {
  await using daemon = await startBenchDaemon();
  const [row] = await daemon.store.query<{ id: bigint }>('SELECT id FROM workspaces');
  const id = workspaceId(row?.id ?? 0n);
  const bench: Bench = { daemon, workspaceId: id, authorization: await openBenchInput(daemon) };
  await seedPeople(daemon, PEOPLE, { names: NAMES, textsOf });
  await createDefinition(
    { store: daemon.store, clock: systemClock, jobs: { enqueue: async () => undefined } },
    { workspaceId: id, actor: 'bench' },
    {
      ...{ id: 'company', description: '', source_user_attribute: 'company' },
      attributes: [
        { id: 'revenue', type: 'sum' },
        { id: 'score', type: 'average' },
        { id: 'subscribed', type: 'boolean_or' },
        { id: 'plan', type: 'latest' },
      ],
    },
  );
  await loadFor(bench, LOAD_SECONDS);
  const before = { step: 'no run', ...(await loadFor(bench, LOAD_SECONDS)), 'peak MB': peakMemoryMb(daemon.pid) };
  console.error(JSON.stringify(before));
  const measured = [
    before,
    await measure(bench, 'first run, batches coming in', true),
    await measure(bench, 'again, nothing else', false),
    await measure(bench, 'again, batches coming in', true),
  ];
  console.table(measured);
  console.log(JSON.stringify({ people: PEOPLE, groups: GROUPS, perSecond: PER_SECOND, measured }));
}

await main();
