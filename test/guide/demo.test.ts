import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { penstock, spawnPenstock } from '../support/crashes/penstock-process.ts';

/** A folder for what the demo makes; closed to the store's own user, where root runs it, unless `mode` says otherwise. */
function scratch(mode = 0o700) {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-demo-test-'));
  chmodSync(folder, mode);
  return {
    options: { home: join(folder, 'not-used'), environment: { TMPDIR: folder, PENSTOCK_PORT: 'no setting counts' } },
    left: () => readdirSync(folder),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test('the demo shows that only the people who bought again move, and leaves nothing', async () => {
  using place = scratch(0o755);
  const { code, out, err } = await penstock(['demo'], place.options);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect([...out.matchAll(/^ {3}status +(\w+)$/gm)].map(([, status]) => status)).toEqual(['success', 'success']);
  expect([...out.matchAll(/^ {3}extracted_records +(\d+)$/gm)].map(([, rows]) => rows)).toEqual(['23570', '1506']);
  expect(out).toContain('1,506 people moved, 22,064 were not touched.');
  expect(out).toMatch(/^ {3}purchases +4 +5$/m);
  expect(place.left()).toEqual([]);
}, 900_000);

test('Ctrl-C ends the demo in the middle, and it leaves nothing either', async () => {
  using place = scratch();
  const { child, written, ended } = spawnPenstock(['demo'], place.options);
  await until(() => written.out.includes('2. A warehouse'), 120_000);
  child.kill('SIGINT');
  // npm hands on what the terminal has sent already
  child.kill('SIGINT');
  const { code, err } = await ended;
  expect({ code, err }).toEqual({
    code: 1,
    err: 'SIGINT received: the demo stopped early, and its folder was removed.\n',
  });
  expect(place.left()).toEqual([]);
}, 900_000);
