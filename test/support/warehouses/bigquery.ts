import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import type { Recipe } from './recipe.ts';

const VERSION = '0.8.1';
const MODULE = 'github.com/goccy/bigquery-emulator/cmd/bigquery-emulator';
/** go.mod and go.sum pin everything; `go install MODULE@version` does not work for it. */
const SOURCE = join(import.meta.dirname, '..', 'servers', 'bigquery');
const PROJECT = 'test';
/** The part of it that makes SQLite's statements, which is built with a change of ours (`googlesqlite/internal`). */
const TRANSLATOR = 'github.com/goccy/googlesqlite';
const TRANSLATOR_VERSION = '0.3.1';
/** Where the change is called from. */
const CALLED_BEFORE = '\tcase "googlesqlite_case_no_value":';
const CALL = '\tcase "googlesqlite_and":\n\t\treturn formatAnd(n, args), nil\n';
/** Counts the changes. */
const CHANGE = 1;

/** Joins by an index: the emulator compares each row with each, 40 µs a pair, so that 2,000 rows would take an hour. */
async function changeTranslator(folder: string): Promise<void> {
  const { stdout: modules } = await promisify(execFile)('go', ['env', 'GOMODCACHE']);
  const copy = join(folder, 'googlesqlite');
  await cp(join(modules.trim(), `${TRANSLATOR}@v${TRANSLATOR_VERSION}`), copy, { recursive: true });
  await promisify(execFile)('chmod', ['-R', 'u+w', copy]);
  const file = join(copy, 'internal', 'formatter.go');
  const parts = (await readFile(file, 'utf8')).split(CALLED_BEFORE);
  if (parts.length !== 2) throw new Error(`${file} has no single place to call our change from.`);
  await writeFile(file, parts.join(`${CALL}${CALLED_BEFORE}`));
}

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
    key: `bigquery-emulator-${VERSION}-penstock${CHANGE}-${process.platform}-${process.arch}`,
    proof: 'bigquery-emulator',
    async build({ folder, run }) {
      await cp(SOURCE, folder, { recursive: true });
      await run('chmod', ['-R', 'u+w', folder]);
      await run('go', ['mod', 'download', 'all'], { cwd: folder });
      await changeTranslator(folder);
      await run('go', ['mod', 'edit', '-replace', `${TRANSLATOR}=./googlesqlite`], { cwd: folder });
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
