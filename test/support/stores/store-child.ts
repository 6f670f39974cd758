// A process that runs only the embedded store, for tests that kill it: `store-child.ts HOME ROLE PORT FSYNC` starts the
// store, writes one line `{"databaseUrl": …}` or `{"error": …}`, and ends in order on SIGTERM or SIGINT.
import { AppError, createLog, type Secret } from '../../../src/kernel/index.ts';
import { startStore } from '../../../src/store/index.ts';

const [home = '', role = 'daemon', port = '0', fsync = 'off'] = process.argv.slice(2);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const config = {
  home,
  store: {
    databaseUrl: undefined as Secret | undefined,
    port: Number(port),
    syncsToDisk: fsync === 'on',
    poolSize: 4,
  },
};

try {
  const store = await startStore(config, { log: createLog('silent'), role: role === 'command' ? 'command' : 'daemon' });
  const end = async () => {
    // the server must still be there: what is under way has to be finished first
    const answer = await store.query('SELECT 1 AS one').then(
      () => 'alive',
      () => 'gone',
    );
    await store[Symbol.asyncDispose]();
    say({ atEnd: answer });
    clearInterval(staying);
  };
  const staying = setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => void end());
  process.once('SIGINT', () => void end());
  say({ databaseUrl: store.databaseUrl });
} catch (error) {
  say({ error: error instanceof AppError ? error.code : 'other', message: String(error) });
}
