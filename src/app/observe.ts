// Metrics beyond those of requests and processes.

import type { AcceptDeps } from '../events/index.ts';
import type { Metrics } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock } from '../kernel/index.ts';
import { pipelineLags } from '../pipelines/index.ts';
import type { RunObserver } from '../runs/index.ts';
import type { Store } from '../store/index.ts';

/** Counts what the engine did. */
export function observeRuns(metrics: Metrics): RunObserver {
  const runs = metrics.counter({
    name: 'penstock_runs_total',
    help: 'Runs that ended, by status.',
    labels: ['status'],
  });
  const rows = metrics.counter({
    name: 'penstock_rows_total',
    help: 'Rows of delivered chunks, by outcome.',
    labels: ['outcome'],
  });
  // from the first scrape on, so that a rate sees the first one too
  for (const status of ['success', 'failed', 'stopped', 'retrying', 'queued']) runs({ status }, 0);
  for (const outcome of ['successful', 'failed', 'deduplicated', 'erased']) rows({ outcome }, 0);
  return {
    runEnded: (status) => runs({ status }),
    rowsDelivered({ successful, failed, deduplicated, erased }) {
      rows({ outcome: 'successful' }, successful);
      rows({ outcome: 'failed' }, failed);
      rows({ outcome: 'deduplicated' }, deduplicated);
      rows({ outcome: 'erased' }, erased);
    },
  };
}

/** Counts what became of event batches that came in. */
export function observeBatches(metrics: Metrics): NonNullable<AcceptDeps['onOutcome']> {
  const batches = metrics.counter({
    name: 'penstock_batches_total',
    help: 'Event batches and analytics calls received, by outcome.',
    labels: ['outcome'],
  });
  for (const outcome of ['kept', 'duplicate', 'rejected', 'erased']) batches({ outcome }, 0);
  return (outcome) => batches({ outcome });
}

interface Observed {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** Asks the store and the queue at each scrape. */
export function observeStore(metrics: Metrics, { store, jobs, clock }: Observed): void {
  // the first one, so that it does not count the connections that the other gauges of the same scrape take
  metrics.gauge(
    {
      name: 'penstock_store_connections',
      help: 'Connections of this daemon to its store, busy and idle, and calls waiting for a connection.',
      labels: ['state'],
    },
    async () => {
      const { total, idle, waiting } = store.poolUsage();
      return Object.entries({ busy: total - idle, idle, waiting }).map(([state, value]) => ({
        labels: { state },
        value,
      }));
    },
  );
  metrics.gauge({ name: 'penstock_store_up', help: '1 when the store answers.' }, async () => [
    {
      value: await store.ping().then(
        () => 1,
        () => 0,
      ),
    },
  ]);
  metrics.gauge({ name: 'penstock_store_size_bytes', help: 'Size of the store on disk.' }, async () => {
    const [row] = await store.query<{ bytes: bigint }>('SELECT pg_database_size(current_database()) AS bytes');
    return [{ value: Number(row?.bytes ?? 0n) }];
  });
  metrics.gauge(
    { name: 'penstock_queue_age_seconds', help: 'Age of the oldest waiting job, by queue.', labels: ['queue'] },
    async () => Object.entries(await jobs.queueAgeSeconds()).map(([queue, value]) => ({ labels: { queue }, value })),
  );
  metrics.gauge(
    {
      name: 'penstock_pipeline_lag_seconds',
      help: 'Time since the end of the last loaded range of active incremental pipelines, largest first.',
      labels: ['workspace', 'pipeline'],
    },
    () => pipelineLags(store, clock),
  );
}
