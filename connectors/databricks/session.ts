import { AppError, type Micros } from '../../src/kernel/index.ts';
import type { Session } from '../../src/warehouse/index.ts';
import { describe } from './describe.ts';
import { estimate } from './estimate.ts';
import type { LinkDeps } from './link.ts';
import { probe } from './probe.ts';
import { startRead } from './read.ts';
import { fetchTexts } from './rows/fetch-texts.ts';
import type { Sdk } from './sdk.ts';
import { createServerSession, type ServerSession } from './server-session.ts';
import { CLOCK_SQL } from './statements.ts';
import { createWriteBack } from './write-back.ts';

/** Loads the SDK and its Arrow; the only place that does. */
export async function loadSdk(): Promise<Sdk> {
  const [sdk, arrow] = await Promise.all([import('@databricks/sql'), import('apache-arrow')]);
  return { DBSQLClient: sdk.DBSQLClient, wire: sdk.thrift.TCLIService_types, arrow };
}

/**
 * Opens a session. Connects at the first use, so that `probe` can report at which stage it fails. Concurrent statements share
 * one session on the server, which runs them at the same time. None can change what the others see.
 */
export function openSession(deps: LinkDeps): Session {
  const session = createServerSession(deps);
  return {
    probe: (signal) => probe(deps, session, signal),
    describe: async (statement, signal) => (await describe(session, statement, signal)).columns,
    read: (request, signal) => startRead({ session, request, signal }),
    estimate: (statement, signal) => estimate(session, statement, signal),
    clock: (signal) => readClock(session, signal),
    ...(deps.environment.writes === true ? { writeBack: createWriteBack(session, deps.config) } : {}),
    [Symbol.asyncDispose]: () => session.close(),
  };
}

async function readClock(session: ServerSession, signal: AbortSignal): Promise<Micros> {
  const [[text] = []] = await fetchTexts(session, CLOCK_SQL, signal);
  if (!/^\d+$/.test(text ?? ''))
    throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse did not return its current time.');
  return BigInt(text ?? '');
}
