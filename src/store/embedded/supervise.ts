import { type BackoffPolicy, backoffDelayMs, type Log, systemClock } from '../../kernel/index.ts';
import type { ServerProcess } from './server-process.ts';

const BACKOFF: BackoffPolicy = { baseMs: 100, maxMs: 10_000 };
/** Lifetime after which a death is not blamed on the start. */
const STABLE_MS = 60_000;

export interface Supervised {
  /** Stops the server and the watch over it. */
  stop(): Promise<void>;
}

/** Keeps a server running: one that dies is started again, with growing pauses when it dies again and again. */
export function superviseServer(first: ServerProcess, start: () => Promise<ServerProcess>, log: Log): Supervised {
  const stopping = new AbortController();
  let server = first;
  const watching = watch();

  async function watch(): Promise<void> {
    let deaths = 0;
    while (!stopping.signal.aborted) {
      const sinceMs = systemClock.nowMs();
      await server.exited;
      if (stopping.signal.aborted) return;
      log.error({ pid: server.pid }, 'store.server_died');
      deaths = systemClock.nowMs() - sinceMs > STABLE_MS ? 1 : deaths + 1;
      await startAgain(deaths);
    }
  }

  async function startAgain(deaths: number): Promise<void> {
    for (let attempt = deaths; !stopping.signal.aborted; attempt++) {
      try {
        if (attempt > 1) await systemClock.sleep(backoffDelayMs(attempt, BACKOFF), stopping.signal);
        server = await start();
        log.info({ pid: server.pid }, 'store.server_restarted');
        return;
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ err: error }, 'store.restart_failed');
      }
    }
  }

  return {
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
      // the one that a restart brought up meanwhile
      await server.stop();
    },
  };
}
