// bin/penstock.mjs under the Node of the machine: an old one hands over to ours, and nobody notices.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from './source-tree.ts';

const MAIN = `
const [what, value] = process.argv.slice(2);
if (what === 'wait') {
  const timer = setInterval(() => {}, 1000);
  process.on('SIGTERM', () => { console.log('drained'); clearInterval(timer); process.exitCode = 3; });
  process.on('SIGINT', () => { console.log('interrupted'); clearInterval(timer); });
  console.log('ready');
} else if (what === 'die') {
  process.kill(process.pid, value as NodeJS.Signals);
} else {
  console.log(JSON.stringify({ node: process.versions.node.split('.')[0], args: process.argv.slice(2) }));
  process.exitCode = Number(value ?? 0);
}
`;

function majorOf(node: string): number {
  return Number(/^v(\d+)/.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? 0);
}

const nodesOfTheMachine = [
  '/usr/bin/node',
  '/usr/local/bin/node',
  ...pathFolders().map((folder) => join(folder, 'node')),
];
const oldNode = nodesOfTheMachine.find((node) => existsSync(node) && majorOf(node) > 0 && majorOf(node) < 24);
const NODES: readonly (readonly [string, string | undefined])[] = [
  ['Node 24', process.execPath],
  ['an older Node', oldNode],
];

function pathFolders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
}

let folder = '';
beforeAll(() => {
  // A space and a sign that means something in an address, as a person's folders have them.
  folder = join(mkdtempSync(join(tmpdir(), 'penstock-bin-')), 'pen stock #1');
  mkdirSync(join(folder, 'src'), { recursive: true });
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'src', 'main.ts'), MAIN);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

// The machine of a contributor may have no Node below 24: then that half is reported as skipped.
describe.each(NODES)('under %s', (_name, node = '') => {
  const start = (args: readonly string[]): ChildProcess =>
    spawn(node, [join(folder, 'bin', 'penstock.mjs'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

  async function run(args: readonly string[], onReady?: (child: ChildProcess) => void) {
    const child = start(args);
    if (child.stdout === null) throw new Error('no output');
    if (onReady !== undefined) child.stdout.once('data', () => onReady(child));
    const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { output, code: code as number | null, signal: signal as string | null };
  }

  test.skipIf(node === '')('the command runs on Node 24 with its arguments', async () => {
    const { output, code } = await run(['say', '0', 'a b', '--json']);
    expect(JSON.parse(output)).toEqual({ node: '24', args: ['say', '0', 'a b', '--json'] });
    expect(code).toBe(0);
  });

  test.skipIf(node === '')('its exit code is passed on', async () => {
    expect(await run(['say', '7'])).toMatchObject({ code: 7, signal: null });
  });

  test.skipIf(node === '')('SIGTERM reaches it, and its end is waited for', async () => {
    const ended = await run(['wait'], (child) => child.kill('SIGTERM'));
    expect(ended).toEqual({ output: 'ready\ndrained\n', code: 3, signal: null });
  });

  test.skipIf(node === '')('SIGINT reaches it', async () => {
    const ended = await run(['wait'], (child) => child.kill('SIGINT'));
    expect(ended).toEqual({ output: 'ready\ninterrupted\n', code: 0, signal: null });
  });

  test.skipIf(node === '')('a death by signal is passed on as that signal', async () => {
    expect(await run(['die', 'SIGKILL'])).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await run(['die', 'SIGTERM'])).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});

describe('without the Node that npm brings', () => {
  test.skipIf(oldNode === undefined)('an older Node says what to do', () => {
    const bare = mkdtempSync(join(tmpdir(), 'penstock-bare-'));
    cpSync(join(ROOT, 'bin'), join(bare, 'bin'), { recursive: true });
    const { status, stderr } = spawnSync(oldNode ?? '', [join(bare, 'bin', 'penstock.mjs')], { encoding: 'utf8' });
    rmSync(bare, { recursive: true, force: true });
    expect(status).toBe(1);
    expect(stderr).toMatch(/needs Node 24, but this is v\d+.*\n.*npm rebuild node/);
  });
});
