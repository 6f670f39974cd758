// The HTTP server of a daemon: the endpoints of all rooms, who may call them, and the checks of /readyz.
import { accessEndpoints, createAllowsOrigin, createAuthenticate, createSigningKeys } from '../access/index.ts';
import { versionOneEndpoints } from '../api-v1/index.ts';
import type { Config } from '../config.ts';
import type { Dsr } from '../dsr/index.ts';
import { eventsEndpoints, profileEndpoints } from '../events/index.ts';
import { groupsEndpoints } from '../groups/index.ts';
import { createHttpServer, type HttpServer, type HttpServerOptions, type Metrics } from '../http/index.ts';
import { type Identities, type IdentityRequests, identityEndpoints } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { AppError, type Clock, type KeyRing, type Log, type WorkspaceId } from '../kernel/index.ts';
import { dataPlanUses, pipelineIds, pipelinesEndpoints } from '../pipelines/index.ts';
import { runsEndpoints } from '../runs/index.ts';
import type { Store } from '../store/index.ts';

/** Most time that an export waits for deliveries under way. If one takes longer, the export ends where an earlier one did. */
const SETTLE_WAIT_MS = 2_000;

interface ServedParts {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyRing: KeyRing;
  readonly identities: Identities;
}

type Sync = Parameters<typeof pipelinesEndpoints>[0] & Parameters<typeof runsEndpoints>[0];

/** Returns the checks that /readyz makes before it says that this daemon can work. */
function readinessChecks(store: Store, jobs: Jobs): HttpServerOptions['health'] {
  return [
    { name: 'store', check: () => store.ping() },
    { name: 'schema', check: () => store.checkVersion() },
    {
      name: 'jobs',
      async check() {
        if (!jobs.isRunning)
          throw new AppError('STORE_UNAVAILABLE', 'The job queue is not running, so no run is processed.');
      },
    },
  ];
}

interface Serving {
  readonly metrics: Metrics;
  readonly jobs: Jobs;
  readonly requests: IdentityRequests;
  readonly dsr: Dsr;
  readonly onSettingsReplaced: (workspaceId: WorkspaceId) => void;
  readonly ingest: Parameters<typeof eventsEndpoints>[0];
  readonly sync: Sync;
}

/** Builds the HTTP server with the endpoints of all rooms. */
export function serveApi(parts: ServedParts, serving: Serving): HttpServer {
  const { metrics, jobs, requests, dsr, onSettingsReplaced, ingest, sync } = serving;
  const { store, clock, log, config, keyRing } = parts;
  const signingKeys = createSigningKeys({ store, clock, keyRing });
  const tokens = {
    store,
    clock,
    keyRing,
    signingKeys,
    baseUrl: () => http.url,
    dataPlanUses,
    ceilings: config.ceilings,
    onSettingsReplaced,
  };
  const http: HttpServer = createHttpServer({
    endpoints: [
      ...accessEndpoints(tokens),
      ...eventsEndpoints(ingest),
      ...identityEndpoints({ ...ingest, requests }),
      ...pipelinesEndpoints(sync),
      ...runsEndpoints(sync),
      ...versionOneEndpoints(sync),
      ...groupsEndpoints(sync),
      ...dsr.endpoints,
      ...profileEndpoints({ ...parts, pipelineIds: (id) => pipelineIds(store, id), settleWaitMs: SETTLE_WAIT_MS }),
    ],
    allowsOrigin: createAllowsOrigin(tokens),
    authenticate: createAuthenticate({ ...tokens, ...config.inputs }),
    clock,
    log,
    metrics,
    config: config.http,
    health: readinessChecks(store, jobs),
  });
  return http;
}
