// One daemon of several that deliver in a workspace: `sharing-child.ts DATABASE_URL WORKSPACE SHARERS`. It keeps SHARERS
// overlapping shares of the creation lock going until it is told to `end`, each of them noted in `shares`. Told to `share`, it
// takes one more; told to `erase` or to `lose`, it asks for the lock alone, and notes its turn in `alone`.
import { setTimeout as sleep } from 'node:timers/promises';
import { takeCreationLock } from '../../../src/identity/deliver/creation-lock.ts';
import { drawTicket } from '../../../src/identity/deliver/creation-tickets.ts';
import { deliverInTransaction } from '../../../src/identity/deliver/deliver-in-transaction.ts';
import { runExclusively } from '../../../src/identity/deliver/run-exclusively.ts';
import { AppError, createLog, Secret, workspaceId } from '../../../src/kernel/index.ts';
import type { Sql } from '../../../src/store/contract.ts';
import { openStore } from '../../../src/store/open-store.ts';

const SHARE_MS = 20;

const [databaseUrl = '', workspace = '', sharers = ''] = process.argv.slice(2);
const here = workspaceId(BigInt(workspace));
const store = openStore({ databaseUrl: new Secret(databaseUrl), poolSize: 8, log: createLog('silent') });
let isEnding = false;

async function share(): Promise<void> {
  const [{ began } = { began: 0n }] = await store.query<{ began: bigint }>(
    "INSERT INTO shares (process, began) VALUES ($1, nextval('steps')) RETURNING began",
    [process.pid],
  );
  const granted = await deliverInTransaction(store, here, async (tx, exclusive) => {
    await takeCreationLock(tx, here, exclusive);
    const step = await nextStep(tx);
    await sleep(SHARE_MS);
    return step;
  });
  await store.execute('UPDATE shares SET granted = $2 WHERE began = $1', [began, granted]);
}

const nextStep = async (sql: Sql): Promise<bigint> =>
  (await sql.query<{ step: bigint }>("SELECT nextval('steps') AS step"))[0]?.step ?? 0n;

async function keepSharing(): Promise<void> {
  while (!isEnding) await share();
}

const noteAlone = async (tx: Sql, name: string) =>
  tx.execute('INSERT INTO alone (name, step) VALUES ($1, $2)', [name, await nextStep(tx)]);

async function ask(name: string): Promise<void> {
  if (name.startsWith('erase')) await runExclusively(store, here, (tx) => noteAlone(tx, name));
  else
    await deliverInTransaction(store, here, async (tx, exclusive) => {
      if (!exclusive) throw new AppError('STORE_CONFLICT', 'Another delivery was faster.');
      await takeCreationLock(tx, here, exclusive);
      await noteAlone(tx, name);
    });
}

/** Steps of an asker at which it is killed. */
const STOPS: Readonly<Record<string, () => Promise<unknown>>> = {
  ticket: () => drawTicket(store, here),
  hold: () => runExclusively(store, here, () => new Promise(() => undefined)),
};

const act = (told: string): Promise<unknown> => STOPS[told]?.() ?? (told === 'share' ? share() : ask(told));

const sharing = Array.from({ length: Number(sharers) }, keepSharing);
const more: Promise<unknown>[] = [];
process.on('message', async (told: string) => {
  if (told !== 'end') {
    more.push(act(told));
    return;
  }
  isEnding = true;
  await Promise.all([...sharing, ...more]);
  await store[Symbol.asyncDispose]();
  process.disconnect();
});
process.send?.('ready');
