// A daemon for third-party client SDKs: the real program, a public key, and functions that read what it stored.
import type { InputUse } from '../../../src/access/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';
import { commandLine } from '../runner/command-line.ts';
import { install } from '../stores/installation.ts';
import { temporaryHome } from '../stores/temporary-home.ts';
import { bareEnvironment } from './penstock-process.ts';

export interface KeptBatch {
  readonly mpid: bigint;
  readonly batch: Readonly<Record<string, unknown>>;
}

export interface ClientDaemon extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  /** Of the workspace; what is left out is as by default. */
  settings(settings: object): Promise<void>;
  /** In the order they came. */
  batches(): Promise<readonly KeptBatch[]>;
  /** Attributes of all profiles, the oldest first. */
  profiles(): Promise<readonly unknown[]>;
}

export async function startClientDaemon(uses: readonly InputUse[]): Promise<ClientDaemon> {
  const stack = new AsyncDisposableStack();
  try {
    const home = stack.use(await temporaryHome());
    const options = { home: home.path };
    const installation = await install(options);
    const { daemon, api } = stack.use(await installation.serve());
    const made = await commandLine(bareEnvironment(options)).json(
      ...['credentials', 'create', 'input', 'client', '--uses', uses.join(',')],
    );
    const store = stack.use(await installation.openStore());
    const query = (sql: string) => store.query<{ mpid: bigint; text: string }>(sql);
    return {
      ...{ url: daemon.url, key: String(made.key), secret: String(made.secret) },
      async settings(settings) {
        await api.put('/settings', settings);
      },
      async batches() {
        const rows = await query('SELECT mpid, text FROM event_batches ORDER BY received_on, id');
        return rows.map(({ mpid, text }) => ({ mpid, batch: parseJson(text) as KeptBatch['batch'] }));
      },
      async profiles() {
        const rows = await query('SELECT mpid, attributes::text AS text FROM profiles ORDER BY mpid');
        return rows.map(({ text }) => parseJson(text));
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
