// One connection to the server. Its address is checked before it opens, errors that could end the process are caught, and its
// sessions have the same settings everywhere.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { systemClock } from '../../../src/kernel/index.ts';
import { noAnswerWithin } from '../../_shared/timeout-error.ts';
import type { RawRow } from '../sdk.ts';
import { type Access, type Product, productOf, ROLLBACK, STATEMENTS } from '../statements.ts';
import { abortable, type ConnectDeps, connectAnywhere } from './connect.ts';
import { runCopy } from './copy-in.ts';
import { type Door, requestCancel } from './dial.ts';
import { askFetchLimit } from './fetch-limit.ts';
import { type Answer, type Messages, runMessages, wireOf } from './wire-query.ts';

export interface Link {
  readonly product: Product;
  /** Most rows that one FETCH of a cursor may ask for; Redshift only. */
  readonly mostFetchedRows: number;
  /** The connection is usable. After a failure or a cancel it is closed and not used again. */
  isSound: boolean;
  /** Begins the transaction of all that follows, with a newer snapshot than the last one's. */
  begin(): Promise<void>;
  /** Runs one or more statements without parameters and returns the rows of the last, as the server wrote them. */
  run(sql: string): Promise<readonly RawRow[]>;
  messages(messages: Messages): Promise<Answer>;
  /** Runs one statement that writes and returns how many rows it changed. */
  change(sql: string): Promise<number>;
  /** Runs `COPY … FROM STDIN`; PostgreSQL only. */
  copy(sql: string, parts: Iterable<string>): Promise<void>;
  /** Pauses reading from the socket, so that the server waits; `resume` continues. */
  pause(): void;
  resume(): void;
  /** Asks the server to cancel the current work of this connection. */
  cancel(): Promise<void>;
  /** Closes an idle connection in order, and a busy one at once. Never throws. */
  close(): Promise<void>;
}

const CLOSE_MS = 1000;

/**
 * Opens a connection to the first address that accepts one. Throws the driver's errors, WAREHOUSE_CONFIG, and
 * WAREHOUSE_UNREACHABLE where no server accepted it in time.
 */
export async function openLink(deps: ConnectDeps, signal: AbortSignal, access: Access = 'read'): Promise<Link> {
  const { client, door } = await connectAnywhere(deps, signal, access);
  const link = linkOf(client, door, { access, timeoutMs: deps.environment.statementTimeoutMs });
  return await abortable(client, signal, async () => {
    const [[version] = []] = await link.run('SELECT version()');
    link.product = productOf(version ?? '');
    if (link.product === 'Redshift' && access === 'read') link.mostFetchedRows = await askFetchLimit(link.run);
    await link.begin();
    return link;
  });
}

/** Returns a guard that closes a silent connection. A server cancels a statement at its timeout; one that does not is gone. */
function silenceGuard(stream: Duplex, timeoutMs: number): <Result>(work: Promise<Result>) => Promise<Result> {
  const limitMs = Math.round(timeoutMs * 1.1 + 1000);
  return async (work) => {
    const answered = new AbortController();
    systemClock.sleep(limitMs, answered.signal).then(
      () => stream.destroy(noAnswerWithin(limitMs)),
      () => undefined,
    );
    try {
      return await work;
    } finally {
      answered.abort();
    }
  };
}

/** A link whose server has not said yet what it is. */
interface OpeningLink extends Link {
  product: Product;
  mostFetchedRows: number;
}

interface LinkSettings {
  readonly access: Access;
  readonly timeoutMs: number;
}

function linkOf(client: pg.Client, door: Door, { access, timeoutMs }: LinkSettings): OpeningLink {
  // the server's number for this connection, and the secret that allows to cancel it
  const { processID: pid, secretKey: key } = client;
  const wire = wireOf(client);
  const answer = silenceGuard(wire.stream, timeoutMs);
  const ask = async (text: string) => {
    const results = await answer(client.query<RawRow>({ text, rowMode: 'array' }));
    // several statements have several results, despite the driver's types
    const last: pg.QueryArrayResult<RawRow> = Array.isArray(results) ? results.at(-1) : results;
    return last;
  };
  const run = async (text: string) => (await ask(text)).rows;
  let hasBegun = false;
  const link: OpeningLink = {
    product: 'PostgreSQL',
    mostFetchedRows: 0,
    isSound: true,
    async begin() {
      if (hasBegun) await run(ROLLBACK);
      hasBegun = true;
      await run(STATEMENTS[link.product].begin(timeoutMs, access).join('; '));
    },
    run,
    messages: (messages) => answer(runMessages(client, messages)),
    change: async (sql) => (await ask(sql)).rowCount ?? 0,
    copy: (sql, parts) => answer(runCopy(client, sql, parts)),
    pause: () => void wire.stream.pause(),
    resume: () => void wire.stream.resume(),
    cancel: () => requestCancel(door, { pid, key }),
    async close() {
      wire.stream.resume();
      const ended = new AbortController();
      const ending = client.end().catch(() => undefined);
      const patience = systemClock.sleep(CLOSE_MS, ended.signal).catch(() => undefined);
      await Promise.race([ending, patience]);
      ended.abort();
      wire.stream.destroy();
    },
  };
  return link;
}
