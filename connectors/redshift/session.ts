import { AppError, type Micros, parseInstant } from '../../src/kernel/index.ts';
import type { Session } from '../../src/warehouse/index.ts';
import { cancellable } from '../_shared/cancellable.ts';
import { probeLinks } from '../_shared/probe-links.ts';
import type { Aws, S3 } from './aws/aws-sdk.ts';
import { describe } from './describe.ts';
import { estimate } from './estimate.ts';
import { type Link, openLink } from './link/link.ts';
import { createLinks } from './link/links.ts';
import { probe } from './probe.ts';
import { startRead } from './read.ts';
import type { Pg } from './sdk.ts';
import { EXACT_TEXT, STATEMENTS } from './statements.ts';
import type { Unload } from './unload/unload.ts';
import { createWriteBack, type WriteBackDeps } from './write-back.ts';

interface SessionDeps extends WriteBackDeps {
  /** Reads large results through S3; undefined where the connection names no bucket. */
  readonly unload: Unload | undefined;
}

/** Loads the SDK; the only place that does. */
export async function loadSdk(): Promise<Pg> {
  return (await import('pg')).default;
}

/** Loads the SDK of AWS, for connections that sign in by IAM. */
export async function loadAws(): Promise<Aws> {
  const [redshift, serverless, sts] = await Promise.all([
    import('@aws-sdk/client-redshift'),
    import('@aws-sdk/client-redshift-serverless'),
    import('@aws-sdk/client-sts'),
  ]);
  return { redshift, serverless, sts };
}

/** Loads the SDK of S3, for runs that unload a large result or copy many keys. */
export async function loadS3(): Promise<S3> {
  return await import('@aws-sdk/client-s3');
}

/** Loads the SDK of SSH tunnels, which few connections need; the only place that does. */
export async function loadSsh() {
  return (await import('ssh2')).default;
}

/**
 * Opens a session. Connects at the first use, so that `probe` can report at which stage it fails. `clock` begins the snapshot
 * of the reads after it. Every row committed before the time that it returns is in that snapshot, so a range that ends at that
 * time lacks none.
 */
export function openSession(deps: SessionDeps): Session {
  const links = createLinks((signal) => openLink(deps, signal));
  const use = async <Result>(signal: AbortSignal, work: (link: Link) => Promise<Result>, take = links.take) => {
    const link = await take(signal);
    try {
      return await cancellable(link, signal, () => work(link));
    } finally {
      await links.giveBack(link);
    }
  };
  return {
    ...(deps.environment.writes === true ? { writeBack: createWriteBack(deps) } : {}),
    probe: (signal) => probeLinks(links, signal, (signedIn) => probe(deps, signedIn, signal)),
    describe: (statement, signal) => use(signal, async (link) => (await describe(link, statement)).columns),
    estimate: (statement, signal) => use(signal, (link) => estimate(link, statement)),
    exactText: (signal) => use(signal, async ({ product }) => EXACT_TEXT[product]),
    clock: (signal) => use(signal, readClock, links.takeNew),
    async read(request, signal) {
      const link = await links.take(signal);
      try {
        return await startRead({ link, request, signal, unload: deps.unload, release: () => links.giveBack(link) });
      } catch (failure) {
        link.isSound = false;
        await links.giveBack(link);
        throw failure;
      }
    },
    [Symbol.asyncDispose]: () => links.close(),
  };
}

async function readClock(link: Link): Promise<Micros> {
  const [[text] = []] = await link.run(STATEMENTS[link.product].clock);
  const micros = parseInstant(/[+-]\d\d$/.test(text ?? '') ? (text ?? '') : `${text}Z`);
  if (micros === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse did not return its current time.');
  return micros;
}
