import { join } from 'node:path';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { PYTHON, pythonVersion, type Recipe } from './recipe.ts';

const VERSION = '5.2.5';

/** The APIs of AWS for Redshift, S3 and STS. moto has neither Redshift Serverless nor GetClusterCredentialsWithIAM. */
export const aws: Recipe<'aws'> = {
  name: 'aws',
  product: `moto ${VERSION}`,
  programs: [PYTHON],
  installation: async () => ({
    key: `moto-${VERSION}-python-${await pythonVersion()}`,
    proof: 'bin/moto_server',
    async build({ folder, run }) {
      await run('python3', ['-m', 'venv', folder]);
      await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `moto[server]==${VERSION}`]);
    },
  }),
  async plan({ installed }) {
    const port = await chooseFreePort();
    return {
      command: join(installed, 'bin', 'python'),
      args: ['-B', join(installed, 'bin', 'moto_server'), '-H', '127.0.0.1', '-p', String(port)],
      address: { endpoints: { aws: { endpoint: `http://127.0.0.1:${port}` } } },
    };
  },
  async ask({ endpoints }) {
    const answer = await fetch(`${endpoints.aws.endpoint}/moto-api/data.json`);
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    await answer.json();
  },
  readyMs: 60_000,
  stopSignal: 'SIGTERM',
};
