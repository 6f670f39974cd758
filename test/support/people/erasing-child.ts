// A worker that does nothing but one erasure, for tests that kill it: `erasing-child.ts DATABASE_URL WORKSPACE REQUEST NOW`
// works on the request and writes one line `{"grownMb": …}`: by how much its memory grew meanwhile.
import { createLog, Secret, workspaceId } from '../../../src/kernel/index.ts';
import { openStore } from '../../../src/store/index.ts';
import { work, workDeps } from '../apis/dsr-work.ts';

const [databaseUrl = '', workspace = '', id = '', now = ''] = process.argv.slice(2);
const clock = { nowMs: () => Number(now), sleep: async () => undefined };
const store = openStore({ databaseUrl: new Secret(databaseUrl), poolSize: 4, log: createLog('silent') });
const beforeKb = process.resourceUsage().maxRSS;
await work(workDeps(store, clock), { workspaceId: workspaceId(BigInt(workspace)), id });
const grownMb = Math.round((process.resourceUsage().maxRSS - beforeKb) / 1024);
await store[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify({ grownMb })}\n`);
