import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock, Log } from '../../kernel/index.ts';
import { within } from '../server/within.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface MetricSpec {
  /** Name with the prefix `penstock_` and its unit at the end (`_seconds`, `_bytes`, `_total`). */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface GaugeSpec extends MetricSpec {
  /**
   * Largest number of samples, 500 by default.
   * Further samples are dropped, first come first served: a label must not grow with the customer's data.
   */
  readonly mostSamples?: number;
}

/** Metrics that /metrics shows. The rooms name their own through app.ts; this room knows only its requests. */
export interface Metrics {
  /** Creates a counter and returns a function that adds to it: `add({ status: 'success' })` adds one. */
  counter(spec: MetricSpec): (labels?: Labels, by?: number) => void;
  histogram(spec: MetricSpec & { readonly buckets: readonly number[] }): (labels: Labels, value: number) => void;
  /** Registers a gauge that is collected at each scrape, for two seconds at most. One that fails is left out and counted. */
  gauge(spec: GaugeSpec, collect: () => Promise<readonly Sample[]>): void;
  /** Returns the page in Prometheus' text format. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>;
}

interface MetricsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Observes CPU, memory, event loop and garbage collection of the process; off in tests. */
  readonly observeProcess?: boolean;
}

const COLLECT_MS = 2000;

export function createMetrics({ clock, log, observeProcess = false }: MetricsOptions): Metrics {
  const register = new Registry();
  const registers = [register];
  // 100 ms instead of 10: an idle daemon must not wake up a hundred times a second
  if (observeProcess) collectDefaultMetrics({ register, eventLoopMonitoringPrecision: 100 });
  const failures = new Counter({
    name: 'penstock_scrape_failures_total',
    help: 'Gauges that could not be collected.',
    labelNames: ['metric'],
    registers,
  });
  return {
    counter(spec) {
      const counter = new Counter({ ...named(spec), registers });
      if ((spec.labels ?? []).length === 0) counter.inc(0);
      return (labels = {}, by = 1) => counter.inc(labels, by);
    },
    histogram({ buckets, ...spec }) {
      const histogram = new Histogram({ ...named(spec), buckets: [...buckets], registers });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge(spec, collect) {
      const gauge = new Gauge({
        ...named(spec),
        registers,
        async collect() {
          gauge.reset();
          try {
            const samples = await within(clock, COLLECT_MS, collect);
            for (const { labels = {}, value } of samples.slice(0, spec.mostSamples ?? 500)) gauge.set(labels, value);
          } catch (error) {
            gauge.remove({});
            failures.inc({ metric: spec.name });
            log.warn({ metric: spec.name, err: error }, 'http.metric-failed');
          }
        },
      });
    },
    page: async () => ({ contentType: register.contentType, text: await register.metrics() }),
  };
}

function named({ name, help, labels = [] }: MetricSpec) {
  return { name, help, labelNames: [...labels] };
}
