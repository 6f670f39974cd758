// Penstock beside Sling and dlt: `npm run bench -- peers [--rows N] [--rounds N]`, 200,000 rows and three rounds unless told
// otherwise. The first start installs both from PyPI into a folder below the temporary one, about 750 MB. One PostgreSQL holds
// the table; another holds Penstock's store and, in a database of its own, what the others write. Each round runs
//   floor     COPY out of one server into the other, with a primary key and nothing else
//   Sling     copies; a program from start to end
//   dlt       copies, by way of files; a program from start to end, at least 0.5 s of it imports
//   Penstock  resolves two identities a row and merges eight attributes into profiles; from the trigger to success, in a daemon
//             that runs already but has read nothing yet
// Each result is compared with the table, or counted, before the next step. Cleanup and checkpoints run between steps, and are
// not counted.
// "own" is CPU of the program, daemon or, for the floor, of this process. /proc is read, so this runs under Linux only.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compareSteps } from './support/peers/compare-steps.ts';
import { DLT_VERSION, installPeers, SLING_VERSION } from './support/peers/install-peers.ts';
import type { MeasuredStep } from './support/peers/measure-step.ts';
import { openPeopleTable } from './support/peers/people-table.ts';
import { runRound } from './support/peers/run-round.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '3' } },
});

function atLeast(least: number, option: 'rows' | 'rounds'): number {
  const number = Number(values[option]);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${option} is "${values[option]}". Give a whole number from ${least} on.`);
}

async function main(): Promise<void> {
  const rows = atLeast(100, 'rows');
  const rounds = atLeast(1, 'rounds');
  const programs = await installPeers((text) => console.error(text));
  const load = [loadavg()];
  const measured: (readonly MeasuredStep[])[] = [];
  await using table = await openPeopleTable();
  for (let round = 1; round <= rounds; round++) {
    measured.push(await runRound({ programs, table, rows }));
    load.push(loadavg());
    console.error(`round ${round} of ${rounds} is over, load ${load.at(-1)?.[0]?.toFixed(1)}`);
  }
  const lines = compareSteps(measured);
  console.table(lines);
  const average = load.map(([minute = 0]) => minute.toFixed(1)).join(', ');
  console.log(
    `Sling ${SLING_VERSION}, dlt ${DLT_VERSION}. Medians over ${rounds} round(s) on ${availableParallelism()} cores.`,
  );
  console.log(`Load average before and after each round: ${average}; it counts the bench itself, "others" does not.`);
  console.log(
    'Penstock resolves people, keeps attributes with times and a ledger to resume from; the others copy the table.',
  );
  console.log(JSON.stringify({ rows, rounds, load: average, lines, measured }));
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
