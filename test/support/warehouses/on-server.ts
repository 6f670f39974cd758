// Tests that need a local server. Where it does not run they are reported as not run, by name, in the skipped count; where
// PENSTOCK_TEST_SERVERS_NEEDED says that all must be there, as in CI, they fail.
import { describe, test } from 'vitest';
import { type LocalServers, localServer, SERVER_NAMES, type ServerName } from './local-servers.ts';

const RUNNING = new Map<ServerName, LocalServers[ServerName]>();
for (const name of SERVER_NAMES) {
  const server = await localServer(name);
  if (server !== undefined) RUNNING.set(name, server);
}

/** The server's addresses; throws outside of tests that run on it. */
export function serverOf<Name extends ServerName>(name: Name): LocalServers[Name] {
  const server = RUNNING.get(name);
  if (server === undefined) throw new Error(`${name} does not run: ${howToHave(name)}.`);
  return server as LocalServers[Name];
}

/** `describe` for tests on a server. */
export function onServer(name: ServerName, text: string, tests: () => void): void {
  if (RUNNING.has(name)) describe(text, tests);
  else if (process.env.PENSTOCK_TEST_SERVERS_NEEDED) describe(text, () => test('has its server', () => serverOf(name)));
  // not run: the reason stands in the name of the tests
  else describe.skip(`${text} (not run: ${howToHave(name)})`, tests);
}

function howToHave(name: ServerName): string {
  return `\`npm run warehouses -- up ${name}\` has its server`;
}
