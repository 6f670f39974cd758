// Sling and dlt, each run as a program of its own from its start to its end, as a scheduler would run them.
import { join } from 'node:path';
import type { PeerPrograms } from './install-peers.ts';
import { KEY, TABLE, UPDATED } from './people-table.ts';
import { runProgram } from './run-program.ts';

const SCRIPT = join(import.meta.dirname, 'dlt_people.py');

export interface CopyPlaces {
  /** URL of the database that holds the table. */
  readonly source: string;
  /** URL of an empty database. */
  readonly target: string;
  /** Folder for what the programs keep between runs. */
  readonly home: string;
}

type Backend = 'pyarrow' | 'connectorx';

export interface Copiers {
  /** Runs Sling and returns its peak memory in MiB. */
  sling(mode: 'full-refresh' | 'incremental'): Promise<number>;
  /** Runs dlt and returns its peak memory in MiB. */
  dlt(mode: 'replace' | 'merge', backend: Backend): Promise<number>;
}

export const slingTable = (mode: string) => `public.sling_${mode.replace('-', '_')}`;
export const dltTable = (mode: string, backend: Backend) => `${dltDataset(mode, backend)}.${TABLE}`;
const dltDataset = (mode: string, backend: Backend) => `dlt_${mode}_${backend}`;

/** Creates the copiers of one pair of databases. A second run in the same mode copies what changed, except for full ones. */
export function createCopiers({ sling, python }: PeerPrograms, { source, target, home }: CopyPlaces): Copiers {
  const base = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home };
  const slingEnvironment = { ...base, SLING_DISABLE_TELEMETRY: 'true', SOURCE: plain(source), TARGET: plain(target) };
  const dltEnvironment = {
    ...{ ...base, RUNTIME__DLTHUB_TELEMETRY: 'false', RUNTIME__LOG_LEVEL: 'WARNING', DLT_DATA_DIR: home },
    ...{ SOURCE_URL: withDriver(source), TARGET_URL: withDriver(target, ''), TABLE, KEY, UPDATED },
  };
  return {
    sling(mode) {
      const from = ['--src-conn', 'SOURCE', '--src-stream', `public.${TABLE}`];
      const to = ['--tgt-conn', 'TARGET', '--tgt-object', slingTable(mode), '--mode', mode];
      const keys = mode === 'incremental' ? ['--primary-key', KEY, '--update-key', UPDATED] : [];
      return runProgram({ command: sling, args: ['run', ...from, ...to, ...keys], environment: slingEnvironment });
    },
    dlt(mode, backend) {
      const args = [SCRIPT, backend, mode, dltDataset(mode, backend), join(home, 'pipelines')];
      return runProgram({ command: python, args, environment: dltEnvironment });
    },
  };
}

/** Turns off TLS, which the bench's servers do not speak. */
const plain = (url: string) => `${url}?sslmode=disable`;
/** Names the driver that dlt brings: SQLAlchemy 2.1 takes psycopg 3 by default. */
const withDriver = (url: string, driver = '+psycopg2') => url.replace(/^postgres:/, `postgresql${driver}:`);
