#!/usr/bin/env node
// Penstock runs on Node 24 and strips types itself. Whatever Node the machine has starts this file;
// an older one hands over to the Node 24 that npm installed beside us.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './node-flags.mjs';

const main = new URL('../src/main.ts', import.meta.url);

function bundledNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const file = join(folder, 'bin', 'node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the command under `node`, hands signals on, and ends as it ended: same code, or same signal. */
function handOver(node) {
  const env = { ...NODE_ENVIRONMENT, ...process.env };
  const child = spawn(node, [...NODE_FLAGS, fileURLToPath(main), ...process.argv.slice(2)], { env, stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    // A terminal sends Ctrl-C to the whole group: the child has it already, and a second one would mean "at once".
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => {
    console.error(`penstock cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('close', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

const isCurrent = Number(process.versions.node.split('.')[0]) >= 24;
// Only a process that begins can be told how to use memory, and only the daemon lives long enough to need it.
if (isCurrent && process.argv[2] !== 'serve') {
  await import(main.href);
} else {
  const node = isCurrent ? process.execPath : bundledNode();
  if (node === undefined) {
    console.error(
      `penstock needs Node 24, but this is ${process.version}, and the Node of npm is missing.\n` +
        'Run `npm rebuild node` in the folder of Penstock, or start it with Node 24.',
    );
    process.exit(1);
  }
  handOver(node);
}
