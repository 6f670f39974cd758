import type { PgBoss } from 'pg-boss';
import { eachApart } from '../kernel/index.ts';
import type { Store, Transaction } from '../store/index.ts';
import { type CadenceRow, nextOccurrence, planCadence } from './plan-cadence.ts';
import { sendJob } from './queues.ts';

export const CADENCE_QUEUE = 'cadences';

/** Inserts the cadence, or gives it the cron of this version. An unchanged one keeps its due time. */
export async function declareCadence(store: Store, name: string, due: { cron: string; now: Date }): Promise<void> {
  await store.query(
    `INSERT INTO cadences (name, cron, next_due_at) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET cron = excluded.cron, next_due_at = excluded.next_due_at
     WHERE cadences.cron <> excluded.cron`,
    [name, due.cron, nextOccurrence(due.cron, due.now)],
  );
}

interface Polling {
  readonly store: Store;
  readonly boss: PgBoss;
}

/**
 * Polls all cadences once and makes the jobs of those that are due. Many daemons may poll at once: one wins each occurrence.
 */
export async function pollCadences({ store, boss }: Polling, names: ReadonlySet<string>, now: Date): Promise<void> {
  const rows = await store.query<CadenceRow>('SELECT name, cron, next_due_at AS "nextDueAt" FROM cadences');
  const ours = rows.filter(({ name }) => names.has(name));
  await eachApart(ours, (row) => claimOccurrence({ store, boss }, row, now));
}

async function claimOccurrence({ store, boss }: Polling, row: CadenceRow, now: Date): Promise<void> {
  const step = planCadence(row, now);
  if (step.kind === 'wait') return;
  await store.transaction(async (tx) => {
    const isOurs = await moveCadence(tx, row, step.nextDueAt);
    if (!isOurs || step.kind !== 'run') return;
    const data = { key: `cadence/${row.name}`, dueAt: row.nextDueAt.toISOString() };
    await sendJob(boss, tx, { queue: CADENCE_QUEUE, data });
  });
}

/** Moves the due time by compare and set. Returns false when another daemon was faster. */
async function moveCadence(tx: Transaction, row: CadenceRow, nextDueAt: Date): Promise<boolean> {
  const moved = await tx.execute('UPDATE cadences SET next_due_at = $3 WHERE name = $1 AND next_due_at = $2', [
    row.name,
    row.nextDueAt,
    nextDueAt,
  ]);
  return moved === 1;
}
