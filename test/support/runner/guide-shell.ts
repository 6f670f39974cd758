// A shell into which a guide test types what a page tells people to type, and the daemon that they start there.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseJson } from '../../../src/kernel/index.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { removeHome } from '../../../src/store/index.ts';
import { until } from '../clocks/until.ts';
import { bareEnvironment, ROOT } from '../crashes/penstock-process.ts';

/** Path of the README. */
export const README = join(ROOT, 'README.md');

/** Returns the path of a page in docs/. */
export const pageOf = (name: string) => join(ROOT, 'docs', name);

/** Returns the `sh` blocks of a chapter of a page, in order. */
export function blocksOf(page: string, chapter = 'Step by step'): readonly string[] {
  const [, text = ''] = readFileSync(page, 'utf8').split(`\n## ${chapter}\n`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
}

/** Opens a shell that a person types into: `type` resolves with what a block wrote. */
function openShell(folder: string, environment: Readonly<Record<string, string>>) {
  const env = { ...bareEnvironment({ home: folder, environment }) };
  delete env.PENSTOCK_HOME;
  const shell = spawn('bash', [], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  // the daemon in the background goes with the shell, also when the test is killed and nobody types any more
  shell.stdin.write("trap 'kill 0' EXIT\n");
  const written = collect(shell);
  let typed = 0;
  return {
    shell,
    errors: () => written.err,
    async type(block: string): Promise<string> {
      const from = written.out.length;
      const marker = `-- block ${++typed} ended`;
      shell.stdin.write(`${block}\necho "${marker} $?"\n`);
      const status = await until(() => new RegExp(`${marker} (\\d+)`).exec(written.out)?.[1], 120_000);
      expect(`${status} ${written.err}`).toMatch(/^0 /);
      return written.out.slice(from, written.out.lastIndexOf(marker));
    },
  };
}

function collect(child: ChildProcess): { out: string; err: string } {
  const written = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  return written;
}

const isServing = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Returns the JSON answers of a block, one a line. */
export const answers = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => parseJson(line) as Record<string, never>);

export interface Guide extends AsyncDisposable {
  /** Resolves with what a block wrote. */
  type(block: string): Promise<string>;
  /** Returns the value that `penstock init` printed under that name. */
  shown(field: string): string;
}

/** The steps of the README: those that every guide begins with, the token, and the definition of the first pipeline. */
export const FIRST_STEPS = firstSteps();

function firstSteps() {
  const [begin = '', names = '', token = '', define = '', ...more] = blocksOf(README, 'Define your own pipeline');
  expect(more).toEqual([]);
  return { begin, names, token, define };
}

/** Runs the first steps, the README's or a page's own, up to the names that the next steps use; the daemon is serving. */
export async function beginGuide(begin = FIRST_STEPS.begin, names = FIRST_STEPS.names): Promise<Guide> {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-guide-'));
  for (const name of ['bin', 'examples']) symlinkSync(join(ROOT, name), join(folder, name));
  const port = await chooseFreePort();
  const { shell, type } = openShell(folder, { PENSTOCK_PORT: String(port), PENSTOCK_LOG_LEVEL: 'fatal' });
  const end = async () => {
    shell.stdin.end();
    await once(shell, 'close');
    await removeHome(join(folder, '.penstock'));
    await removeHome(folder);
  };
  try {
    const made = await type(begin);
    const shown = (field: string) => new RegExp(`^${field} +(\\S+)$`, 'm').exec(made)?.[1] ?? '';
    await until(() => isServing(`http://127.0.0.1:${port}`), 120_000);
    await type(
      names
        .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
        .replace('WORKSPACE=1', `WORKSPACE=${shown('workspace_id')}`)
        .replace('CLIENT_ID=…', `CLIENT_ID=${shown('client_id')}`)
        .replace('CLIENT_SECRET=…', `CLIENT_SECRET=${shown('client_secret')}`),
    );
    return { type, shown, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
