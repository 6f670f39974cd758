import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { makeCertificate } from '../servers/databricks/tls.ts';
import type { LocalServers } from './local-servers.ts';
import { PYTHON, pythonVersion, type Recipe } from './recipe.ts';

const SPARK = '4.0.5';
const DELTA = '4.0.1';
const JARS = [`delta-spark_2.13`, `delta-storage`];
const HOST = join(import.meta.dirname, '..', 'servers', 'databricks', 'host.ts');

export const databricks: Recipe<'databricks'> = {
  name: 'databricks',
  product: `Spark ${SPARK} with Delta ${DELTA}`,
  programs: [
    PYTHON,
    { name: 'a Java from 17 on', check: ['java', '-version'], howToGet: 'apt-get install openjdk-17-jdk-headless' },
    { name: 'keytool', check: ['keytool', '-help'], howToGet: 'it comes with Java' },
    { name: 'Maven', check: ['mvn', '-version'], howToGet: 'apt-get install maven' },
  ],
  installation: async () => ({
    key: `spark-${SPARK}-delta-${DELTA}-python-${await pythonVersion()}`,
    proof: join('jars', `delta-storage-${DELTA}.jar`),
    async build({ folder, run }) {
      const venv = join(folder, 'venv');
      await run('python3', ['-m', 'venv', venv]);
      await run(join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `pyspark==${SPARK}`]);
      for (const jar of JARS) {
        const wanted = [`-Dartifact=io.delta:${jar}:${DELTA}`, `-DoutputDirectory=${join(folder, 'jars')}`];
        await run('mvn', ['--batch-mode', '--quiet', 'dependency:copy', ...wanted], { cwd: folder });
      }
    },
  }),
  async plan({ installed, folder }) {
    const [port, sparkPort] = [await chooseFreePort(), await chooseFreePort()];
    const [token, ca] = [randomUUID(), await makeCertificate(folder)];
    await mkdir(join(folder, 'tables'));
    return {
      command: process.execPath,
      args: [HOST, installed, folder, String(port), String(sparkPort)],
      env: { PENSTOCK_TEST_TOKEN: token },
      address: { endpoints: { databricks: { host: 'localhost', port, ca } }, httpPath: '/cliservice', token },
    };
  },
  ask,
  readyMs: 240_000,
  stopSignal: 'SIGTERM',
};

async function ask({ endpoints, httpPath, token }: LocalServers['databricks']): Promise<void> {
  const { DBSQLClient } = await import('@databricks/sql');
  const { host, port, ca } = endpoints.databricks;
  const silent = { log: () => undefined };
  const client = new DBSQLClient({ logger: silent });
  await client.connect({ host, port, path: httpPath, token, customCaCert: ca, telemetryEnabled: false });
  const session = await client.openSession();
  const operation = await session.executeStatement('SELECT 1 AS one');
  await operation.fetchAll();
  await operation.close();
  await session.close();
  await client.close();
}
