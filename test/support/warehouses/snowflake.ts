import { join } from 'node:path';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { PYTHON, pythonVersion, type Recipe } from './recipe.ts';

const VERSION = '0.12.1';
/** Newer connectors break fakesnow when it is imported. */
const PACKAGES = [`fakesnow[server]==${VERSION}`, 'snowflake-connector-python==4.8.1'];
const SERVER = join(import.meta.dirname, '..', 'servers', 'snowflake', 'server.py');

export const snowflake: Recipe<'snowflake'> = {
  name: 'snowflake',
  product: `fakesnow ${VERSION}`,
  programs: [PYTHON],
  installation: async () => ({
    key: `fakesnow-${VERSION}-python-${await pythonVersion()}`,
    proof: 'bin/python',
    async build({ folder, run }) {
      await run('python3', ['-m', 'venv', folder]);
      await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...PACKAGES]);
    },
  }),
  async plan({ installed }) {
    const port = await chooseFreePort();
    return {
      command: join(installed, 'bin', 'python'),
      args: ['-B', SERVER, '--port', String(port)],
      address: { endpoints: { snowflake: { accessUrl: `http://127.0.0.1:${port}` } } },
    };
  },
  async ask({ endpoints }) {
    const { accessUrl } = endpoints.snowflake;
    const signIn = {
      data: { LOGIN_NAME: 'penstock', PASSWORD: 'penstock', ACCOUNT_NAME: 'local', SESSION_PARAMETERS: {} },
    };
    const { token } = (await post(`${accessUrl}/session/v1/login-request`, signIn)) as { token: string };
    const query = `${accessUrl}/queries/v1/query-request?requestId=${crypto.randomUUID()}`;
    const { rowset } = (await post(query, { sqlText: 'SELECT 1' }, token)) as {
      rowset: readonly (readonly string[])[];
    };
    if (rowset[0]?.[0] !== '1') throw new Error(`SELECT 1 gave ${JSON.stringify(rowset)}.`);
  },
  readyMs: 120_000,
  stopSignal: 'SIGTERM',
};

async function post(url: string, body: object, token?: string): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Snowflake Token="${token}"` }),
  };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { success, message, data } = (await answer.json()) as { success: boolean; message?: string; data: unknown };
  if (!success) throw new Error(message ?? `HTTP ${answer.status}`);
  return data;
}
