// `npm run bench -- NAME [arguments]`: each bench is a program of its own in this folder, run with the flags of the daemon. Not
// part of the tests.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../bin/node-flags.mjs';

const [name = '', ...rest] = process.argv.slice(2);
const script = join(import.meta.dirname, `${name}.ts`);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));

if (!names.includes(name) || !existsSync(script)) {
  console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}`);
  process.exitCode = 2;
} else {
  const child = spawn(process.execPath, [...NODE_FLAGS, script, ...rest], {
    env: { ...process.env, ...NODE_ENVIRONMENT },
    stdio: 'inherit',
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
