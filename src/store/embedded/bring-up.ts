import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type Log, systemClock } from '../../kernel/index.ts';
import type { Cluster } from './cluster.ts';
import { stopOrphan } from './orphan.ts';
import { chooseFreePort, isPortFree } from './port.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { measureMachine, serverSettings } from './settings.ts';

const LOG_LIMIT_BYTES = 16 * 2 ** 20;
const PORT_TRIES = 5;
/** Time to wait for the shared memory of a killed server, which exists until the last of its processes has noticed. */
const RELEASE_MS = 30_000;
const RELEASE_POLL_MS = 200;
const STILL_HELD = /shared memory block|postmaster\.pid/;
const PORT_TAKEN = /Address already in use/;

export interface BringUp {
  readonly home: string;
  readonly cluster: Cluster;
  readonly syncsToDisk: boolean;
  readonly log: Log;
}

/** Starts the server on the port it had, or on another one if that is taken by now. `onPort` stores the new port. */
export async function bringUpOnSomePort(
  bringUp: BringUp,
  kept: number,
  onPort: (port: number) => Promise<void>,
): Promise<{ readonly port: number; readonly server: ServerProcess }> {
  let port = kept;
  for (let attempt = 1; ; attempt++) {
    try {
      return { port, server: await bringUpOn(bringUp, port) };
    } catch (error) {
      if (attempt === PORT_TRIES || !isPortTaken(error)) throw error;
      const next = await chooseFreePort();
      bringUp.log.warn({ taken: port, next }, 'store.port_changed');
      port = next;
      await onPort(port);
    }
  }
}

/**
 * Stops an orphan, waits until its resources are released, and starts the server. Throws STORE_START, also when the port is
 * taken.
 */
export async function bringUpOn({ home, cluster, syncsToDisk, log }: BringUp, port: number): Promise<ServerProcess> {
  const logFile = join(home, 'store.log');
  await rotate(logFile);
  const settings = serverSettings(await measureMachine(home), syncsToDisk);
  for (let waitedMs = 0; ; waitedMs += RELEASE_POLL_MS) {
    try {
      await stopOrphan(cluster, log);
      if (!(await isPortFree(port))) throw portTaken(port);
      const server = await startServer({ cluster, port, logFile, settings });
      log.debug({ pid: server.pid, port }, 'store.started');
      return server;
    } catch (error) {
      if (!(error instanceof AppError) || !STILL_HELD.test(error.message) || waitedMs >= RELEASE_MS) throw error;
      await systemClock.sleep(RELEASE_POLL_MS);
    }
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof AppError && PORT_TAKEN.test(error.message);
}

function portTaken(port: number): AppError {
  return new AppError(
    'STORE_START',
    `Address already in use: another program listens on port ${port} of 127.0.0.1, the port of the embedded store. Stop it, or set PENSTOCK_STORE_PORT to another port, or to 0 for a free one.`,
  );
}

async function rotate(logFile: string): Promise<void> {
  const sizeBytes = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
  if (sizeBytes > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}
