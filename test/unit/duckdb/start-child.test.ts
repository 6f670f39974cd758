import { closeSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startChild } from '../../../connectors/duckdb/host/start-child.ts';
import { openSharedFile, readSlot, writeSlot } from '../../../connectors/duckdb/wire/shared-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'penstock-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('rows pass through the folder where shared memory refuses, and nothing of it stays', () => {
  // it has space, and nothing can be made in it
  const refusing = join(folder, 'shm');
  writeFileSync(refusing, '');
  const file = openSharedFile(folder, refusing);
  writeSlot(file, 0, Uint8Array.of(1, 2));
  const read = new Uint8Array(2);
  readSlot(file, 0, read);
  closeSync(file);
  expect([...read]).toEqual([1, 2]);
  expect(readdirSync(folder)).toEqual(['shm']);
});

test('a child that cannot be started keeps no descriptor', () => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  expect(startFailure('EINVAL')).toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  expect(descriptors()).toBe(before);
});

test('a child that cannot be started says what to do', () => {
  expect(startFailure('EAGAIN')).toMatchObject({
    code: 'WAREHOUSE_THROTTLED',
    message:
      'The process of DuckDB could not be started (EAGAIN). Raise the limit of processes (ulimit -u, TasksMax in systemd); Penstock tries again.',
  });
  expect(startFailure('ENOMEM')).toMatchObject({ message: expect.stringContaining('PENSTOCK_DUCKDB_MEMORY_MB') });
  expect(startFailure('EINVAL')).toMatchObject({ message: expect.stringContaining('(EINVAL)') });
});

function startFailure(code: string): unknown {
  const failing = () => {
    throw Object.assign(new Error(`spawn ${code}`), { code });
  };
  try {
    return startChild(64, folder, failing);
  } catch (failure) {
    return failure;
  }
}
