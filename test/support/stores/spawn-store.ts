import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface StoreChild extends AsyncDisposable {
  readonly pid: number;
  readonly process: ChildProcess;
  /** The next line it wrote: `databaseUrl` once it runs, or `error` and `message`; `atEnd` when it ended in order. */
  line(): Promise<Readonly<Record<string, string>>>;
  /** Sends the signal and waits for the end of the process. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `store-child.ts` on `home`; SIGTERM when disposed. */
export function spawnStore(
  home: string,
  options: SpawnOptions & { readonly role?: string; readonly port?: number; readonly fsync?: 'on' | 'off' } = {},
): StoreChild {
  const { role = 'daemon', port = 0, fsync = 'off', ...spawnOptions } = options;
  const script = join(import.meta.dirname, 'store-child.ts');
  const child = spawn(process.execPath, [script, home, role, String(port), fsync], {
    ...spawnOptions,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    process: child,
    async line() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The process of the store ended without a word.');
      return JSON.parse(value) as Record<string, string>;
    },
    end,
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}
