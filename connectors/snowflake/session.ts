import { createRequire } from 'node:module';
import { AppError, type Micros, parseInstant } from '../../src/kernel/index.ts';
import type { Session } from '../../src/warehouse/index.ts';
import { probeLinks } from '../_shared/probe-links.ts';
import { describe } from './describe.ts';
import { estimate } from './estimate.ts';
import { fewRows } from './few-rows.ts';
import { type Link, type LinkDeps, openLink } from './link/link.ts';
import { createLinks, type Links } from './link/links.ts';
import { guardTransport } from './link/transport.ts';
import { checkParts } from './parts.ts';
import { probe } from './probe.ts';
import { startRead } from './read.ts';
import type { HttpClient, ResultChunk, Sdk } from './sdk.ts';
import { CLOCK_SQL } from './statements.ts';
import { createWriteBack } from './write-back.ts';

let loading: Promise<Sdk> | undefined;

/** Loads the SDK and fixes its faults once for the whole process; the only place that does. */
export function loadSdk(): Promise<Sdk> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Sdk> {
  // else it asks the cloud's metadata services who it is, past every rule for the network, and while it is being loaded
  // biome-ignore lint/style/noProcessEnv: the SDK reads it when it is loaded, and knows no other way to be told
  process.env.SNOWFLAKE_DISABLE_PLATFORM_DETECTION = 'true';
  const { default: sdk } = await import('snowflake-sdk');
  const inside = createRequire(import.meta.url);
  const http: { readonly default: HttpClient } = inside('snowflake-sdk/dist/lib/http/axios_instance.js');
  const chunk: { readonly prototype: ResultChunk } = inside('snowflake-sdk/dist/lib/connection/result/chunk.js');
  const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };
  // the certificate itself is still checked; OCSP requests would bypass the network rules
  // proxies are ours: the SDK's would look no target up, so that no rule for the network would see it
  sdk.configure({ logLevel: 'ERROR', customLogger: silent, disableOCSPChecks: true, useEnvProxy: false });
  guardTransport(http.default);
  checkParts(chunk);
  return sdk;
}

function nothing(): void {
  // errors reach us as errors; the SDK's own log would repeat them, with addresses, in a file beside the daemon
}

/** Longest silence while rows are awaited: the SDK waits for the parts of a result without end. */
const MOST_IDLE_MS = 300_000;

/** Opens a session. Signs in at the first use, so that `probe` can report at which stage it fails. */
export function openSession(deps: LinkDeps): Session {
  const links = createLinks((signal) => openLink(deps, signal));
  const use = <Result>(signal: AbortSignal, work: (link: Link) => Promise<Result>) => useLink(links, signal, work);
  const idleMs = Math.min(deps.environment.statementTimeoutMs, MOST_IDLE_MS);
  return {
    ...(deps.environment.writes === true ? { writeBack: createWriteBack(deps) } : {}),
    probe: (signal) => probeLinks(links, signal, (signedIn) => probe(deps, signedIn, signal)),
    describe: (statement, signal) => use(signal, (link) => describe(link, statement, signal)),
    estimate: (statement, signal) => use(signal, (link) => estimate(link, statement, signal)),
    clock: (signal) => use(signal, (link) => readClock(link, signal)),
    async read(request, signal) {
      const link = await links.take(signal);
      try {
        return await startRead({ link, request, signal, idleMs, release: () => links.giveBack(link) });
      } catch (failure) {
        await links.giveBack(link);
        throw failure;
      }
    },
    [Symbol.asyncDispose]: () => links.close(),
  };
}

async function useLink<Result>(
  links: Links,
  signal: AbortSignal,
  work: (link: Link) => Promise<Result>,
): Promise<Result> {
  const link = await links.take(signal);
  try {
    return await work(link);
  } finally {
    await links.giveBack(link);
  }
}

/** Returns the warehouse's time at the start of the statement; later statements see everything committed before that time. */
async function readClock(link: Link, signal: AbortSignal): Promise<Micros> {
  const [[now] = []] = await fewRows(link, { text: CLOCK_SQL, values: [] }, { signal });
  const micros = typeof now === 'string' ? parseInstant(now) : undefined;
  if (micros === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse did not return its current time.');
  return micros;
}
