import { type App, createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { someKeys } from '../crashes/penstock-process.ts';
import { temporaryHome } from '../stores/temporary-home.ts';
import { openTestStore } from '../stores/test-store.ts';
import { commandLine } from './command-line.ts';

export interface CliStore extends AsyncDisposable {
  readonly store: Store;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly penstock: ReturnType<typeof commandLine>;
  /** A daemon on the same store, in this process. */
  startApp(): Promise<App>;
}

/** A store of its own that `DATABASE_URL` names, as the commands see it. */
export async function openCliStore(): Promise<CliStore> {
  const store = await openTestStore();
  const home = await temporaryHome();
  const environment = {
    PENSTOCK_HOME: home.path,
    PENSTOCK_PORT: '0',
    PENSTOCK_POOL_SIZE: '4',
    DATABASE_URL: store.databaseUrl,
    ...someKeys(),
  };
  const apps: App[] = [];
  return {
    ...{ store, environment, home: home.path, penstock: commandLine(environment) },
    async startApp() {
      const app = await createApp(readConfig(environment), { log: createLog('silent') });
      apps.push(app);
      await app.listen();
      return app;
    },
    async [Symbol.asyncDispose]() {
      for (const app of apps) await app.drain(5000);
      await store[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
