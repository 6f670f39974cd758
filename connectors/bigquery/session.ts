import { createRequire } from 'node:module';
import { AppError, type Micros } from '../../src/kernel/index.ts';
import type { Range, Session, Statement } from '../../src/warehouse/index.ts';
import { type AgentChoice, guardAgents } from './agents.ts';
import { ANSWER_MS, type Client, type ClientDeps, createClient, within } from './client.ts';
import { readLocation } from './dataset.ts';
import { describe, estimate } from './describe.ts';
import { requireOpenHosts } from './hosts.ts';
import { recentRange } from './partition-filter.ts';
import { probe } from './probe.ts';
import { startRead } from './read.ts';
import type { Sdk } from './sdk.ts';
import { CLOCK_SQL } from './statements.ts';
import { createStorage, type Storage } from './storage.ts';
import { createWriteBack } from './write-back.ts';

/** Loads the needed parts of the SDK; the only place that does. */
export async function loadSdk(): Promise<Sdk> {
  const [google, auth] = await Promise.all([import('@google-cloud/bigquery'), import('google-auth-library')]);
  guardAgents(agentChoice());
  return {
    google,
    auth,
    loadStorage: async () => {
      const parts = [
        import('@google-cloud/bigquery-storage'),
        import('@grpc/grpc-js'),
        import('apache-arrow'),
      ] as const;
      const [storage, grpc, arrow] = await Promise.all(parts);
      return { storage, grpc, arrow };
    },
  };
}

/** Returns the module that the SDK itself loaded, whatever other versions are installed beside it. */
function agentChoice(): AgentChoice {
  const common = createRequire(createRequire(import.meta.url).resolve('@google-cloud/bigquery'));
  const inside = createRequire(common.resolve('@google-cloud/common'));
  return inside('teeny-request/build/src/agents.js');
}

interface Opened {
  readonly client: Client;
  readonly storage: Storage;
}

interface Ready extends Opened {
  readonly location: string | undefined;
}

/**
 * Opens a session. BigQuery has none on the server: each call is independent. Signs in at the first use, so that `probe` can
 * report where it fails.
 */
export function openSession(deps: ClientDeps): Session {
  let opened: Promise<Opened> | undefined;
  let located: Promise<string | undefined> | undefined;
  const closing = new AbortController();
  const ranges = new Map<string, Range | undefined>();
  const open = () => {
    opened ??= requireOpenHosts(deps)
      .then(() => createClient(deps))
      .then((client) => ({ client, storage: createStorage(client) }))
      .catch(forget(() => (opened = undefined)));
    return opened;
  };
  const ready = async (signal: AbortSignal): Promise<Ready> => {
    const { client, storage } = await open();
    // all callers share it, so none of them may end it by leaving
    located ??= readLocation(client, closing.signal).catch(forget(() => (located = undefined)));
    return { client, storage, location: await within(located, { signal, limitMs: ANSWER_MS }) };
  };
  return {
    probe: (signal) => probe(deps, async () => (await open()).client, signal),
    async describe(statement, signal) {
      const { client, location } = await ready(signal);
      const { columns, partitionColumn } = await describe(client, { statement, location }, signal);
      if (partitionColumn !== undefined) ranges.set(statement.sql, recentRange(columns, partitionColumn));
      return columns;
    },
    previewRange: (sql) => ranges.get(sql),
    async estimate(statement, signal) {
      const { client, location } = await ready(signal);
      return await estimate(client, { statement, location }, signal);
    },
    clock: async (signal) => readClock(await ready(signal), signal),
    read: async (request, signal) => startRead({ ...(await ready(signal)), request, signal }),
    ...(deps.environment.writes === true ? { writeBack: createWriteBack(ready) } : {}),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      const { storage, client } = (await opened?.catch(() => undefined)) ?? {};
      await storage?.close();
      client?.close();
    },
  };
}

/** Returns a handler that clears a failed attempt, so that the next caller tries again. */
function forget(clear: () => void): (failure: unknown) => never {
  return (failure) => {
    clear();
    throw failure;
  };
}

async function readClock(ready: Ready, signal: AbortSignal): Promise<Micros> {
  const statement: Statement = { sql: CLOCK_SQL, parameters: {} };
  const { chunks } = await startRead({ ...ready, request: { statement, chunkRows: 1, chunkBytes: 1000 }, signal });
  for await (const [row] of chunks) if (typeof row?.[0] === 'string') return BigInt(row[0]);
  throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery did not return its current time.');
}
