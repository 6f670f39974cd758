// A process that takes a job and never ends it: `node stuck-worker.ts <store url> <queue>`. Prints the key it took.
import { createJobs } from '../../../src/jobs/index.ts';
import { createLog, Secret, systemClock } from '../../../src/kernel/index.ts';
import { openStore } from '../../../src/store/index.ts';

const [databaseUrl = '', queue = ''] = process.argv.slice(2);
const log = createLog('silent');
const store = openStore({ databaseUrl: new Secret(databaseUrl), poolSize: 4, log });
const jobs = createJobs({ store, clock: systemClock, log });
await jobs.work(queue, { concurrency: 1 }, async ({ key }) => {
  process.stdout.write(`${key}\n`);
  await new Promise(() => undefined);
});
await jobs.start();
