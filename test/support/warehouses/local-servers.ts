// Warehouses of this machine that need no account: which there are, and where a test finds them. They are started and
// stopped by `npm run warehouses`, never by a test.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { WarehouseEndpoints } from '../../../src/config.ts';
import { processMark } from '../../../src/store/embedded/process-mark.ts';

export const SERVER_NAMES = ['snowflake', 'bigquery', 'databricks', 'postgresql', 'aws'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

/** What a test must know to use each; `endpoints` is what the operator's settings would say. */
export interface LocalServers {
  /** Takes any account, user and password. */
  readonly snowflake: { readonly endpoints: Required<Pick<WarehouseEndpoints, 'snowflake'>> };
  readonly bigquery: {
    readonly endpoints: {
      readonly bigquery: Required<Omit<NonNullable<WarehouseEndpoints['bigquery']>, 'signInEndpoint'>>;
    };
    readonly project: string;
  };
  /** Speaks TLS with a certificate of this start, for the names localhost and 127.0.0.1. */
  readonly databricks: {
    readonly endpoints: { readonly databricks: Required<NonNullable<WarehouseEndpoints['databricks']>> };
    readonly httpPath: string;
    readonly token: string;
  };
  /** Takes any access key. */
  readonly aws: { readonly endpoints: { readonly aws: { readonly endpoint: string } } };
  /** `url` is a superuser's. */
  readonly postgresql: { readonly url: string };
}

/** What `npm run warehouses -- up` leaves behind for each server. */
export interface ServerStatus<Name extends ServerName = ServerName> {
  readonly name: Name;
  readonly pid: number;
  /** Tells the process from a later one of the same pid. */
  readonly mark: string;
  /** It has answered a query. */
  readonly isReady: boolean;
  readonly address: LocalServers[Name];
  /** Logs and data; goes with the server. */
  readonly folder: string;
  /** Data that must lie elsewhere; goes with the server too. */
  readonly dataFolder?: string;
}

/** Installations: kept for ever, outside of the repository. */
export function cacheFolder(environment = process.env): string {
  const system = process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache');
  return environment.PENSTOCK_TEST_CACHE || join(environment.XDG_CACHE_HOME || system, 'penstock-test');
}

/** What runs now: status files, logs and data. */
export function serversFolder(environment = process.env): string {
  return environment.PENSTOCK_TEST_SERVERS || join(cacheFolder(environment), 'servers');
}

export function statusFile(name: ServerName): string {
  return join(serversFolder(), `${name}.json`);
}

/** The server as it was started, whatever became of it; undefined where none was. */
export async function readStatus<Name extends ServerName>(name: Name): Promise<ServerStatus<Name> | undefined> {
  const text = await readFile(statusFile(name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parse<Name>(text);
}

/** Undefined where it does not run (any more), or not yet. */
export async function findServer<Name extends ServerName>(name: Name): Promise<ServerStatus<Name> | undefined> {
  const status = await readStatus(name);
  return status?.isReady === true && (await isRunning(status)) ? status : undefined;
}

/** Its addresses, for a test; undefined where it does not run. */
export async function localServer<Name extends ServerName>(name: Name): Promise<LocalServers[Name] | undefined> {
  return (await findServer(name))?.address;
}

export async function isRunning({ pid, mark }: Pick<ServerStatus, 'pid' | 'mark'>): Promise<boolean> {
  return (await processMark(pid)) === mark && !(await isZombie(pid));
}

/** It has ended, and nobody has asked how. */
async function isZombie(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}

/** A file that was cut short counts as none. */
function parse<Name extends ServerName>(text: string): ServerStatus<Name> | undefined {
  try {
    return JSON.parse(text) as ServerStatus<Name>;
  } catch {
    return undefined;
  }
}
