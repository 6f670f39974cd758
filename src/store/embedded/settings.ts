import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

export interface Machine {
  readonly memoryBytes: number;
  readonly freeDiskBytes: number;
}

/** Measures memory and disk: the memory that the container may use, if there is one, and the disk that holds `folder`. */
export async function measureMachine(folder: string): Promise<Machine> {
  const allowed = process.constrainedMemory();
  const disk = await statfs(folder);
  return {
    memoryBytes: allowed > 0 ? Math.min(allowed, totalmem()) : totalmem(),
    freeDiskBytes: disk.bavail * disk.bsize,
  };
}

/**
 * Returns the settings of the embedded server, scaled to the machine: an eighth of the memory as buffers, WAL up to an eighth
 * of the free disk. Loopback and TCP only. Every commit is on disk before it is answered; where `syncsToDisk` is false it is
 * only with the operating system, and outlives a killed process but not the machine.
 */
export function serverSettings({ memoryBytes, freeDiskBytes }: Machine, syncsToDisk: boolean): string[] {
  const buffers = clamp(memoryBytes / 8, 128 * MIB, GIB);
  const maxWal = clamp(freeDiskBytes / 8, 512 * MIB, 8 * GIB);
  return [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    `fsync=${syncsToDisk ? 'on' : 'off'}`,
    'synchronous_commit=on',
    `shared_buffers=${mebibytes(buffers)}`,
    `wal_buffers=${mebibytes(clamp(buffers / 8, 16 * MIB, 64 * MIB))}`,
    `max_wal_size=${mebibytes(maxWal)}`,
    `min_wal_size=${mebibytes(clamp(maxWal / 8, 80 * MIB, GIB))}`,
    'checkpoint_timeout=15min',
    `work_mem=${mebibytes(clamp(memoryBytes / 64, 8 * MIB, 64 * MIB))}`,
    `maintenance_work_mem=${mebibytes(clamp(memoryBytes / 32, 64 * MIB, 512 * MIB))}`,
    'jit=off',
    // two cores belong to the daemon and its writers; parallel plans also need /dev/shm, which is 64 MB in a container
    'max_parallel_workers_per_gather=0',
    // ERROR lines would print keys of customers for each race that is lost on purpose
    'log_min_messages=log',
    'log_checkpoints=off',
    'log_timezone=UTC',
    'timezone=UTC',
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MIB)}MB`;
}
