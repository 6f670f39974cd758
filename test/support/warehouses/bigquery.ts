import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import type { Recipe } from './recipe.ts';

const VERSION = '0.8.1';
const MODULE = 'github.com/goccy/bigquery-emulator/cmd/bigquery-emulator';
/** go.mod and go.sum pin everything; `go install MODULE@version` does not work for it. */
const SOURCE = join(import.meta.dirname, '..', 'servers', 'bigquery');
const PROJECT = 'test';

export const bigquery: Recipe<'bigquery'> = {
  name: 'bigquery',
  product: `bigquery-emulator ${VERSION}`,
  programs: [
    {
      name: 'go from 1.21 on',
      check: ['go', 'version'],
      howToGet: 'https://go.dev/dl',
    },
  ],
  installation: async () => ({
    key: `bigquery-emulator-${VERSION}-${process.platform}-${process.arch}`,
    proof: 'bigquery-emulator',
    async build({ folder, run }) {
      await cp(SOURCE, folder, { recursive: true });
      await run('chmod', ['-R', 'u+w', folder]);
      await run('go', ['mod', 'download', 'all'], { cwd: folder });
      // one package at a time: two need more memory than small machines have
      const build = ['build', '-mod=mod', '-p=1', '-ldflags=-s -w', '-o', 'bigquery-emulator', MODULE];
      await run('go', build, { cwd: folder, env: { CGO_ENABLED: '0' } });
    },
  }),
  async plan({ installed }) {
    const [port, storagePort] = [await chooseFreePort(), await chooseFreePort()];
    const host = '127.0.0.1';
    return {
      command: join(installed, 'bigquery-emulator'),
      args: [
        `--host=${host}`,
        ...[`--project=${PROJECT}`, '--dataset=penstock', `--port=${port}`, `--grpc-port=${storagePort}`],
      ],
      address: {
        endpoints: {
          bigquery: { apiEndpoint: `http://${host}:${port}`, storageEndpoint: { host, port: storagePort } },
        },
        project: PROJECT,
      },
    };
  },
  async ask({ endpoints, project }) {
    const url = `${endpoints.bigquery.apiEndpoint}/bigquery/v2/projects/${project}/queries`;
    const body = JSON.stringify({ query: 'SELECT 1', useLegacySql: false });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { rows } = (await answer.json()) as { rows?: readonly { f: readonly { v: string }[] }[] };
    if (rows?.[0]?.f[0]?.v !== '1') throw new Error(`SELECT 1 gave HTTP ${answer.status} and ${JSON.stringify(rows)}.`);
  },
  readyMs: 60_000,
  stopSignal: 'SIGTERM',
};
