// Looks at an embedded store from outside: its record, its server, its data.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';

/** Returns the first column of the first row as text. */
export async function ask(databaseUrl: string | undefined, text: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: 'array' });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}

/** Returns what `store.json` says, its folder as an absolute path. */
export async function recordOf(home: string): Promise<{ folder: string; port: number; password: string }> {
  const record = JSON.parse(await readFile(join(home, 'store.json'), 'utf8'));
  return { ...record, folder: resolve(home, record.folder) };
}

export async function serverPid(home: string): Promise<number> {
  const { folder } = await recordOf(home);
  return Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
