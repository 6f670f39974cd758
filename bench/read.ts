// Each connector's read against the bare driver or SDK that reads the same rows exactly: all benches `read-…` of this folder,
// one after the other. Run: node bench/read.ts [rows].
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const [rows = '300000'] = process.argv.slice(2);

for (const file of readdirSync(import.meta.dirname).filter((each) => /^read-.+\.ts$/.test(each))) {
  console.log(`\n${file.slice('read-'.length, -'.ts'.length)}, ${rows} rows`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), rows], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
