#!/usr/bin/env node
// Penstock runs on Node 24 and strips types itself. Whatever Node the machine has starts this file;
// an older one hands over to the Node 24 that npm installed beside us.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const main = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..', 'src', 'main.ts');

function bundledNode() {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'));
    const file = join(folder, 'bin', 'node');
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(main);
} else {
  const node = bundledNode();
  if (node === undefined) {
    console.error(
      `penstock needs Node 24, this is ${process.version}, and the one npm brings is missing.\n` +
        'Run `npm rebuild node` in the folder of Penstock, or start it with Node 24.',
    );
    process.exit(1);
  }
  const child = spawnSync(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exit(child.status ?? 1);
}
