import { expect, test } from 'vitest';
import { serverSettings } from '../../../src/store/embedded/settings.ts';

const GIB = 2 ** 30;

function settingsFor(memoryGib: number, freeDiskGib: number, syncsToDisk = true): Record<string, string | undefined> {
  const machine = { memoryBytes: memoryGib * GIB, freeDiskBytes: freeDiskGib * GIB };
  const settings = serverSettings(machine, syncsToDisk);
  return Object.fromEntries(settings.map((setting) => setting.split('=', 2)));
}

test.each([
  { memory: 1, disk: 2, buffers: '128MB', wal: '512MB', workMem: '16MB' },
  { memory: 4, disk: 20, buffers: '512MB', wal: '2560MB', workMem: '64MB' },
  { memory: 64, disk: 500, buffers: '1024MB', wal: '8192MB', workMem: '64MB' },
])('a machine of $memory GiB with $disk GiB free gets $buffers of buffers and $wal of WAL', (machine) => {
  expect(settingsFor(machine.memory, machine.disk)).toMatchObject({
    shared_buffers: machine.buffers,
    max_wal_size: machine.wal,
    work_mem: machine.workMem,
  });
});

test('is durable and reachable from this machine only', () => {
  expect(settingsFor(4, 20)).toMatchObject({
    fsync: 'on',
    synchronous_commit: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  });
});

test('without fsync a commit still reaches the operating system before it is answered', () => {
  expect(settingsFor(4, 20, false)).toMatchObject({ fsync: 'off', synchronous_commit: 'on' });
});
