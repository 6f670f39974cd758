// Clients that send batches and retry: a batch without an answer is sent again under its id, to any daemon that runs.
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../../../src/store/index.ts';
import { basicOf } from '../apis/input-probes.ts';
import { commandLine } from '../runner/command-line.ts';
import type { CrashSite } from './crash-site.ts';
import { bareEnvironment } from './penstock-process.ts';

const CLIENTS = 24;
/** Few, so that many batches of a group speak of the same person. */
const PEOPLE = 40;
const PAUSE_MS = 50;

export interface BatchLoad {
  /** Batches that were answered 202. */
  readonly answered: ReadonlySet<string>;
  /** Batches without an id whose answer was lost: each is there once or not at all. */
  readonly unknown: ReadonlySet<string>;
  /** Every batch has its answer once it resolves. */
  end(): Promise<void>;
}

export async function startLoad(site: CrashSite): Promise<BatchLoad> {
  await site.api.put('/settings', { limits: { batches_per_second: 100_000 } });
  const made = await commandLine(bareEnvironment(site.options)).json('credentials', 'create', 'input', 'shop');
  const client: Client = {
    ...{ site, authorization: basicOf(String(made.key), String(made.secret)) },
    ...{ answered: new Set(), unknown: new Set(), isOver: false },
  };
  const runs = Promise.all(Array.from({ length: CLIENTS }, (_, number) => sendAll(client, number)));
  runs.catch(() => undefined);
  return {
    ...{ answered: client.answered, unknown: client.unknown },
    async end() {
      client.isOver = true;
      await runs;
    },
  };
}

interface Client {
  readonly site: CrashSite;
  readonly authorization: string;
  readonly answered: Set<string>;
  readonly unknown: Set<string>;
  isOver: boolean;
}

async function sendAll(client: Client, place: number): Promise<void> {
  for (let number = 0; !client.isOver; number++) {
    const name = `batch-${place}-${number}`;
    // one in four has no id, and is sent once
    const isNamed = number % 4 !== 0;
    const body = bodyOf(name, { person: (place * 7 + number) % PEOPLE, isNamed });
    let isAnswered = await send(client, name, body);
    while (!isAnswered && isNamed) {
      await pause(PAUSE_MS);
      isAnswered = await send(client, name, body);
    }
    (isAnswered ? client.answered : client.unknown).add(name);
  }
}

/** Whether it was answered 202; false when nobody answered, or not now. */
async function send({ site, authorization }: Client, name: string, body: string): Promise<boolean> {
  const headers = { authorization, 'content-type': 'application/json' };
  const url = `${site.daemons.at(-1)?.daemon.url}/v2/events`;
  const request = { method: 'POST', body, headers, signal: AbortSignal.timeout(20_000) };
  const status = await fetch(url, request).then(
    (answer) => answer.status,
    () => 503,
  );
  if (status !== 202 && status !== 429 && status < 500) throw new Error(`${name} was answered ${status}.`);
  return status === 202;
}

function bodyOf(name: string, { person, isNamed }: { readonly person: number; readonly isNamed: boolean }): string {
  return JSON.stringify({
    ...(isNamed && { source_request_id: name }),
    job_id: name,
    user_identities: { customer_id: `customer-${person}`, email: `shared-${person % 5}@example.com` },
    user_attributes: { last: name },
    events: [{ event_type: 'custom_event', data: { custom_event_type: 'other', event_name: 'Sent' } }],
  });
}

/** Names of the batches in the log, each as often as it is there. */
export async function keptNames(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ name: string }>("SELECT text::json->>'job_id' AS name FROM event_batches");
  return rows.map(({ name }) => name);
}
