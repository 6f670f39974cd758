import type { Retention } from '../../access/index.ts';
import { asAppError, type Clock, type Log } from '../../kernel/index.ts';
import type { Store, Transaction } from '../../store/index.ts';
import { monthOf } from './months.ts';
import { listPartitions, type Partition, partitionOf } from './partitions.ts';

/** Months made in advance, so that a daemon whose upkeep failed for so long still has its partition. */
const MONTHS_AHEAD = 2;
/** Longest wait for a lock, because deliveries queue behind the statement that waits. The next day tries again. */
const LOCK_TIMEOUT_MS = 2000;

export interface UpkeepDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes the missing partitions of this month and the next two (D-040). A partition that cannot be made is logged and
 * tried again the next time; the default partition takes its batches meanwhile. A month whose batches are in the default
 * partition already, after a clock has jumped far ahead, stays there. Any number of daemons may do this at once.
 */
export async function keepPartitions({ store, clock, log }: UpkeepDeps): Promise<void> {
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const partition = partitionOf(monthOf(clock.nowMs(), ahead));
    if (await isThere(store, partition)) continue;
    try {
      await store.transaction((tx) => makePartition(tx, partition), { lockTimeoutMs: LOCK_TIMEOUT_MS });
      log.info({ partition: partition.name }, 'events.partition_made');
    } catch (error) {
      if (await isThere(store, partition)) continue; // another daemon was faster
      log.warn({ partition: partition.name, reason: asAppError(error).message }, 'events.partition_not_made');
    }
  }
}

async function isThere(store: Store, { name }: Partition): Promise<boolean> {
  return (await listPartitions(store)).some((partition) => partition.name === name);
}

/** Makes a table and attaches it. To make a partition in place would lock out all deliveries; this way few have to wait. */
async function makePartition(tx: Transaction, { name, start, end }: Partition): Promise<void> {
  await tx.execute(`CREATE TABLE ${name} (LIKE event_batches INCLUDING ALL)`);
  await tx.execute(
    `ALTER TABLE event_batches ATTACH PARTITION ${name}
     FOR VALUES FROM ('${start.toISOString()}') TO ('${end.toISOString()}')`,
  );
}

/** Drops the months that no workspace keeps any longer. A month that is in use stays until the next time. */
export async function dropPartitions(
  { store, log }: Pick<UpkeepDeps, 'store' | 'log'>,
  retentions: readonly Pick<Retention, 'batchesSince'>[],
): Promise<void> {
  for (const { name, end } of await listPartitions(store)) {
    if (retentions.length === 0 || !retentions.every(({ batchesSince }) => end <= batchesSince)) continue;
    try {
      await store.transaction((tx) => tx.execute(`DROP TABLE IF EXISTS ${name}`), { lockTimeoutMs: LOCK_TIMEOUT_MS });
      log.info({ partition: name }, 'events.partition_dropped');
    } catch (error) {
      log.warn({ partition: name, reason: asAppError(error).message }, 'events.partition_not_dropped');
    }
  }
}

/** Counts batches in the default partition, whose month had no partition of its own; counts no further than `most`. */
export async function countStrayBatches(store: Store, most: number): Promise<number> {
  const [row] = await store.query<{ count: bigint }>(
    `/* across workspaces: doctor */
     SELECT count(*) AS count FROM (SELECT 1 FROM event_batches_default LIMIT $1) AS stray`,
    [most],
  );
  return Number(row?.count ?? 0n);
}
