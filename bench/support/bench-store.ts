import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/kernel/index.ts';
import { type Store, startStore } from '../../src/store/index.ts';

/** Starts an embedded store with the settings of production; disposing it removes its data. */
export async function openBenchStore(): Promise<Store> {
  const home = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  await chmod(home, 0o755);
  const store = await startStore(
    { home, store: { databaseUrl: undefined, port: 0, syncsToDisk: true, poolSize: 4 } },
    { log: createLog('warn'), role: 'daemon' },
  );
  const stop = store[Symbol.asyncDispose].bind(store);
  return Object.defineProperty(store, Symbol.asyncDispose, {
    value: async () => {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  });
}
