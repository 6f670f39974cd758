// The events API of a daemon that stores nothing: the same server, credentials and parsing, and a door that answers at once.
import { createAuthenticate, createSettingsReader, createSigningKeys } from '../../src/access/index.ts';
import { readConfig } from '../../src/config.ts';
import { type AcceptOutcome, type BatchDoor, eventsEndpoints } from '../../src/events/index.ts';
import { createHttpServer, createMetrics } from '../../src/http/index.ts';
import { systemClock as clock, createLog } from '../../src/kernel/index.ts';
import { attachStore, resolveKeys } from '../../src/store/index.ts';

const config = readConfig();
const log = createLog('warn');
const { keyRing } = await resolveKeys(config, log);
const store = await attachStore(config, log);
if (store === undefined) throw new Error('No daemon runs in that home.');
const access = { store, clock, keyRing };
const kept: readonly AcceptOutcome[] = [{ status: 'kept', mpid: undefined }];
const batches: BatchDoor = {
  accept: async () => ({ outcomes: kept, rateUsedPercent: 0 }),
  admit: async () => 0,
  keep: async () => kept,
  drain: async () => undefined,
};
const server = createHttpServer({
  endpoints: eventsEndpoints({
    store,
    clock,
    identities: { findErasedPeople: async () => new Set() },
    batches,
    settingsOf: createSettingsReader(access),
  }),
  authenticate: createAuthenticate({
    ...{ ...access, ...config.inputs },
    signingKeys: createSigningKeys(access),
    baseUrl: () => server.url,
  }),
  ...{ clock, log, config: config.http, health: [] },
  metrics: createMetrics({ clock, log }),
});
console.log(await server.listen());
process.once('SIGTERM', () => process.exit());
