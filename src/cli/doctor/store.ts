// Checks of the doctor on an open store: its answer, its clock, late pipelines, batches outside their months, erasures.
import { countStrayBatches } from '../../events/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { lookAtErasures } from './erasures.ts';
import { examine, type Finding } from './finding.ts';

const SKEW_MS = 2000;
const LATE_MS = 5 * 60_000;
const MANY_BATCHES = 10_000;

export async function examineStore(store: Store, clock: Clock): Promise<readonly Finding[]> {
  return [
    await examine('store', () => lookAtStore(store)),
    await examine('clock', () => lookAtClock(store, clock)),
    await examine('schedule', () => lookAtSchedule(store, clock)),
    await examine('batches', () => lookAtBatches(store)),
    await examine('erasures', () => lookAtErasures(store, clock)),
  ];
}

async function lookAtStore(store: Store): Promise<Omit<Finding, 'check'>> {
  const rows = await store.query<{ version: string; bytes: bigint }>(
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
  );
  const [{ version = '?', bytes = 0n } = {}] = rows;
  return {
    status: 'ok',
    found: `PostgreSQL ${version}, ${(Number(bytes) / 2 ** 20).toFixed(0)} MiB, tables up to date`,
  };
}

// The store's clock is read here only to be compared with this machine's.
async function lookAtClock(store: Store, clock: Clock): Promise<Omit<Finding, 'check'>> {
  const beforeMs = clock.nowMs();
  const [row] = await store.query<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms');
  const skewMs = Math.round((row?.ms ?? 0) - (beforeMs + clock.nowMs()) / 2);
  const found = `the clocks of this machine and the store differ by ${Math.abs(skewMs)} ms`;
  if (Math.abs(skewMs) <= SKEW_MS) return { status: 'ok', found };
  return { status: 'warning', found, fix: 'Set both clocks with NTP: schedules and tokens depend on them.' };
}

/** Counts late pipelines across all workspaces, read only. */
async function lookAtSchedule(store: Store, clock: Clock): Promise<Omit<Finding, 'check'>> {
  const [row] = await store.query<{ late: bigint; oldest: Date | null }>(
    `/* across workspaces: doctor */ SELECT count(*) AS late, min(next_due_at) AS oldest
     FROM pipelines WHERE next_due_at < $1`,
    [new Date(clock.nowMs() - LATE_MS)],
  );
  if (row === undefined || row.oldest === null) return { status: 'ok', found: 'no pipeline is late' };
  const found = `${row.late} pipelines are late, the oldest since ${row.oldest.toISOString()}`;
  return { status: 'warning', found, fix: 'Start a daemon on this store (penstock serve).' };
}

async function lookAtBatches(store: Store): Promise<Omit<Finding, 'check'>> {
  const stray = await countStrayBatches(store, MANY_BATCHES);
  if (stray === 0) return { status: 'ok', found: 'every batch is in the partition of its month' };
  return {
    status: 'warning',
    found: `${stray}${stray === MANY_BATCHES ? ' or more' : ''} batches are in event_batches_default: their month had no partition`,
    fix: 'No data is lost: these batches are read, erased and expired like all others. Check the clock for jumps of months, and search the log for events.partition_not_made.',
  };
}
