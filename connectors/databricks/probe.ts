// Stages of a connection test; a failed stage reports what is missing.
import { AppError } from '../../src/kernel/index.ts';
import type { ProbeStage } from '../../src/warehouse/index.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { doorOf, HTTPS_PORT } from './config.ts';
import { quoteIdentifier } from './dialect.ts';
import { classify } from './errors.ts';
import { dial, targetOf } from './guard-agent.ts';
import type { LinkDeps } from './link.ts';
import { fetchTexts } from './rows/fetch-texts.ts';
import type { ServerSession } from './server-session.ts';
import { peekSql, SHOW_TABLES_SQL } from './statements.ts';
import { unlessAborted } from './waiting.ts';

export async function probe(
  deps: LinkDeps,
  session: ServerSession,
  signal: AbortSignal,
): Promise<readonly ProbeStage[]> {
  const { config, environment } = deps;
  const connect = async () => {
    const { host } = doorOf(config);
    const socket = await unlessAborted(dial(targetOf(host, HTTPS_PORT, environment), {}, environment), signal);
    socket.destroy();
  };
  return await takeStages(
    [
      { name: 'reach', passed: 'The server accepts connections.', take: () => ignoringTls(connect) },
      { name: 'tls', passed: 'The connection is encrypted.', take: connect },
      { name: 'sign_in', passed: 'The warehouse opens a session.', take: () => session.signIn(signal) },
      {
        name: 'use_objects',
        passed: `The schema ${config.schema} can be used.`,
        take: () => session.prepare(signal),
      },
      { name: 'read', passed: '', take: () => readSomething(session, config.schema, signal) },
    ],
    { classify, signal },
  );
}

/** Ignores a TLS failure: a server with an invalid certificate was still reached. */
async function ignoringTls(connect: () => Promise<void>): Promise<void> {
  try {
    await connect();
  } catch (failure) {
    const { message } = classify(failure);
    if (!/certificate|TLS|SSL/i.test(message)) throw failure;
  }
}

/** Number of tables that are tried: one readable table is enough, as a model names its own. */
const TRIED_TABLES = 5;

async function readSomething(session: ServerSession, schema: string, signal: AbortSignal): Promise<string> {
  const tables = (await fetchTexts(session, SHOW_TABLES_SQL, signal)).map(([, table]) => table ?? '');
  let refusal: AppError | undefined;
  for (const table of tables.slice(0, TRIED_TABLES)) {
    try {
      await fetchTexts(session, peekSql(table), signal);
      return `The table ${table} can be read.`;
    } catch (failure) {
      refusal = classify(failure);
      if (refusal.code !== 'WAREHOUSE_PERMISSION') throw refusal;
    }
  }
  if (refusal === undefined) return `The schema ${schema} has no table yet, or none that the user may see.`;
  const grant = `GRANT SELECT ON SCHEMA ${quoteIdentifier(schema)} TO the principal of the connection, or on the tables that models name`;
  throw new AppError('WAREHOUSE_PERMISSION', `${refusal.message} It needs ${grant}.`, { cause: refusal });
}
