import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { AppError } from '../../kernel/index.ts';

/**
 * Lowest port. The range ends below the ports that systems give to outgoing connections, so that none of those collides later.
 */
const LOWEST = 15_000;
const HIGHEST = 30_000;
const TRIES = 100;

/** Returns a port of 127.0.0.1 on which nobody listens. */
export async function chooseFreePort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isPortFree(port)) return port;
  }
  throw new AppError('STORE_START', 'No port of 127.0.0.1 is free for the embedded store.');
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
