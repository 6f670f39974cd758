import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { dataFolder, ensureCluster, SERVER_ENVIRONMENT, SERVER_ROLE } from '../../../src/store/embedded/cluster.ts';
import { placeBinaries, placeData } from '../../../src/store/embedded/place.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { findServerUser } from '../../../src/store/embedded/server-user.ts';
import type { Recipe } from './recipe.ts';

const log = createLog('silent');
const SETTINGS = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

/** For people: tests have one of their own. */
export const postgresql: Recipe<'postgresql'> = {
  name: 'postgresql',
  product: 'PostgreSQL 18',
  programs: [],
  async plan({ folder }) {
    await chmod(folder, 0o711);
    const user = await findServerUser();
    const data = await placeData(folder, user, log);
    const cluster = { binaries: await placeBinaries(user, log), folder: data, user };
    const password = randomUUID();
    await ensureCluster(cluster, { password: new Secret(password), syncsToDisk: false });
    const port = await chooseFreePort();
    return {
      command: join(cluster.binaries, 'bin', 'postgres'),
      args: ['-D', dataFolder(cluster), '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])],
      env: SERVER_ENVIRONMENT,
      cwd: '/',
      ...user,
      address: { url: `postgres://${SERVER_ROLE}:${password}@127.0.0.1:${port}/postgres` },
      dataFolder: data,
    };
  },
  async ask({ url }) {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('SELECT 1');
    await client.end();
  },
  readyMs: 60_000,
  stopSignal: 'SIGINT',
};
