// `npm run vendor` on a PostgreSQL that is a customer's to it: what it creates goes, whatever happens.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { ROOT } from '../conformance/reports.ts';
import { until } from '../support/clocks/until.ts';

const LEFT = 'penstock_vendor_202001010000_abcdef';

test('the command names what an earlier run left, drops its own database at Ctrl-C and prints no secret', async () => {
  const url = new URL(inject('warehouseUrl'));
  await using server = await connect(url.href);
  await server.run(`CREATE DATABASE ${LEFT}`);
  const run = begin(url);
  await until(() => / RUN /.test(run.said()) || run.child.exitCode !== null);
  const [, own = ''] = /Working in the database (\w+)/.exec(run.said()) ?? [];
  expect(await server.run('SELECT datname FROM pg_database')).toContain(own);
  run.child.kill('SIGINT');
  await run.ended;
  expect(run.child.exitCode).toBe(130);
  expect(run.said()).toContain(`Dropped the database ${own}.`);
  expect(run.said()).toContain(`The database ${LEFT} is of another run.`);
  expect(run.said()).not.toContain(decodeURIComponent(url.password));
  expect(await server.run('SELECT datname FROM pg_database')).not.toContain(own);

  const removal = begin(url, '--remove-leftovers');
  await removal.ended;
  expect(removal.said()).toContain(`Dropped ${LEFT}.`);
  expect(await server.run('SELECT datname FROM pg_database')).not.toContain(LEFT);
});

test('a sign-in that fails is said in words, and nothing is created', async () => {
  const url = new URL(inject('warehouseUrl'));
  url.password = 'wrong-secret';
  const run = begin(url);
  await run.ended;
  expect(run.child.exitCode).toBe(1);
  expect(run.said()).toMatch(/password/i);
  expect(run.said()).not.toContain('wrong-secret');
});

function begin({ hostname, port, username, password }: URL, ...options: readonly string[]) {
  const env = {
    ...process.env,
    VENDOR_POSTGRESQL_HOST: hostname,
    VENDOR_POSTGRESQL_PORT: port,
    VENDOR_POSTGRESQL_DATABASE: 'postgres',
    VENDOR_POSTGRESQL_USER: decodeURIComponent(username),
    VENDOR_POSTGRESQL_PASSWORD: decodeURIComponent(password),
    VENDOR_POSTGRESQL_SSLMODE: 'disable',
  };
  const command = join(ROOT, 'test', 'vendor', 'command.ts');
  const child: ChildProcess = spawn(process.execPath, [command, 'postgresql', ...options], { cwd: ROOT, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += String(piece)));
  return { child, said: () => said, ended: once(child, 'close') };
}

async function connect(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    run: async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows.map(([first]) => first),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
