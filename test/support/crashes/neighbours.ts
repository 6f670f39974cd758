// Two workspaces of one real daemon: one attacks with everything that its admin may send, the other works normally.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { signIn } from '../../../src/cli/api-client.ts';
import { type Json, parseJson } from '../../../src/kernel/index.ts';
import { basicOf } from '../apis/input-probes.ts';
import { commandLine } from '../runner/command-line.ts';
import { type RunAnswer, shopOver } from '../runs/shop.ts';
import { bareEnvironment, type ProcessOptions, startDaemon } from './penstock-process.ts';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, Json>>;
}

/** What one kind of request was answered, each status once, and the longest wait for an answer. */
export interface Asked {
  readonly statuses: readonly number[];
  readonly worstMs: number;
}

/** What the neighbour met while something went on, and right after it. */
export interface Watched {
  readonly health: Asked;
  readonly batches: Asked;
  readonly gzipped: Asked;
  /** One that was triggered when it began, one when it was over. */
  readonly runs: readonly RunAnswer[];
}

export interface Neighbours extends AsyncDisposable {
  readonly pid: number;
  /** Where the daemon's API listens. */
  readonly url: string;
  /** Calls of the attacker's admin below its workspace; the answer comes whatever its status. */
  attack(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Answer>;
  /** Sends a gzipped body of events with the attacker's key; answers the status. */
  attackGzipped(body: Uint8Array<ArrayBuffer>): Promise<number>;
  /** Has a pipeline of the neighbour run once, to its end. */
  run(): Promise<RunAnswer>;
  /** Does `work` while the neighbour asks for `/healthz` and sends batches all the time. */
  beside<Outcome>(work: () => Promise<Outcome>): Promise<{ readonly outcome: Outcome; readonly watched: Watched }>;
}

/** Far from the 270 batches in a second that a workspace may send. */
const PAUSE_MS = 25;
const BATCH = JSON.stringify({
  user_identities: { customer_id: 'n-1' },
  events: [{ event_type: 'custom_event', data: { custom_event_type: 'other', event_name: 'Seen' } }],
});

export async function startNeighbours(options: ProcessOptions): Promise<Neighbours> {
  const { json } = commandLine(bareEnvironment(options));
  const made = await json('init');
  const attacker = String(made.workspace_id);
  const neighbour = String((await json('workspace', 'create', 'neighbour')).workspace_id);
  const inputOf = async (workspace: string): Promise<string> => {
    const input = await json('credentials', 'create', 'input', 'shop', '--workspace', workspace);
    return basicOf(String(input.key), String(input.secret));
  };
  const [attackersKey, key] = [await inputOf(attacker), await inputOf(neighbour)];
  const daemon = await startDaemon(options);
  try {
    const client = { clientId: String(made.client_id), clientSecret: String(made.client_secret) };
    const account = { url: daemon.url, workspace: neighbour, client };
    const [run, runWatched] = [
      await aPipeline(options.home, { ...account, id: 'asked' }),
      await aPipeline(options.home, { ...account, id: 'watched' }),
    ];
    const authorization = await bearerOf(daemon.url, client);
    return {
      pid: daemon.pid,
      url: daemon.url,
      attack: (...call) => callWith(authorization, `${daemon.url}/platform/v2/workspaces/${attacker}`, call),
      attackGzipped: (body) => sendEvents(daemon.url, attackersKey, body),
      run,
      beside: (work) => watch(work, { url: daemon.url, key, run: runWatched }),
      [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
    };
  } catch (error) {
    await daemon[Symbol.asyncDispose]();
    throw error;
  }
}

interface Place {
  readonly id: string;
  readonly url: string;
  readonly workspace: string;
  readonly client: { readonly clientId: string; readonly clientSecret: string };
}

async function aPipeline(home: string, { id, url, workspace, client }: Place): Promise<Neighbours['run']> {
  const folder = join(home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  const { signal } = new AbortController();
  const shop = shopOver(await signIn(url, workspace, { ...client, signal }), folder);
  const pipeline = await shop.pipeline(id, 100);
  return async () => shop.untilOver(pipeline, await shop.trigger(pipeline));
}

interface Neighbour extends Pick<Neighbours, 'run'> {
  readonly url: string;
  readonly key: string;
}

async function watch<Outcome>(
  work: () => Promise<Outcome>,
  { url, key, run }: Neighbour,
): Promise<{ readonly outcome: Outcome; readonly watched: Watched }> {
  const over = new AbortController();
  const asked = Promise.all([
    askUntil(over.signal, () => statusOf(`${url}/healthz`)),
    askUntil(over.signal, () => sendEvents(url, key, BATCH)),
    askUntil(over.signal, () => sendEvents(url, key, gzipSync(BATCH))),
  ]);
  // a daemon that is gone fails the work, too
  asked.catch(() => undefined);
  const [outcome, during] = await Promise.all([work(), run()]).finally(() => over.abort());
  const [health, batches, gzipped] = await asked;
  return { outcome, watched: { health, batches, gzipped, runs: [during, await run()] } };
}

/** Asks again and again, and once more after `over`. */
async function askUntil(over: AbortSignal, ask: () => Promise<number>): Promise<Asked> {
  const statuses = new Set<number>();
  let worstMs = 0;
  for (let isLast = false; !isLast; await pause(PAUSE_MS)) {
    isLast = over.aborted;
    const start = performance.now();
    statuses.add(await ask());
    worstMs = Math.max(worstMs, performance.now() - start);
  }
  return { statuses: [...statuses], worstMs };
}

function sendEvents(url: string, authorization: string, body: string | Uint8Array<ArrayBuffer>): Promise<number> {
  const encoding = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
  const headers = { authorization, 'content-type': 'application/json', ...encoding };
  return statusOf(`${url}/v2/events`, { method: 'POST', body, headers });
}

async function statusOf(url: string, request: RequestInit = {}): Promise<number> {
  const answer = await fetch(url, request);
  await answer.arrayBuffer();
  return answer.status;
}

async function callWith(
  authorization: string,
  root: string,
  [method, path, body]: Parameters<Neighbours['attack']>,
): Promise<Answer> {
  const request = { body: JSON.stringify(body), headers: { authorization, 'content-type': 'application/json' } };
  const answer = await fetch(root + path, { method, headers: { authorization }, ...(body && request) });
  return { status: answer.status, body: parseJson(await answer.text()) as Answer['body'] };
}

async function bearerOf(url: string, { clientId, clientSecret }: Place['client']): Promise<string> {
  const grant = { client_id: clientId, client_secret: clientSecret, audience: url, grant_type: 'client_credentials' };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: JSON.stringify(grant) });
  const { access_token: token } = (await answer.json()) as { readonly access_token: string };
  return `Bearer ${token}`;
}
