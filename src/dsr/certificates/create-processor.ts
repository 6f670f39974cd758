import { type KeyObject, sign } from 'node:crypto';
import { AppError, type Clock, isWithin, type KeyRing, type Log } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { type CertificateFiles, type ConfiguredPair, readConfiguredPair } from './configured-pair.ts';
import {
  decryptKey,
  fingerprintOf,
  insertSelfSigned,
  lastGeneration,
  listCertificates,
  type StoredCertificate,
  storeConfigured,
} from './stored-certificates.ts';

/** Time for which a daemon caches certificates. A new one is served for this long before its key signs. */
const CACHE_MS = 60_000;
/**
 * Time before its end at which a self-made certificate gets a successor. It signs until its end, since receivers may have
 * cached it.
 */
const RENEW_MS = 30 * 86_400_000;

/** The signer of answers and callbacks, one for the installation. */
export interface Processor {
  /** Domain of the configuration. Each version puts `opendsr.` or `opengdpr.` before it. */
  readonly domain: string;
  /** Returns headers that name the processor and sign exactly these bytes. Version 1 has header names of its own. */
  signAnswer(version: 1 | 2 | 3, bytes: string | Uint8Array): Promise<Readonly<Record<string, string>>>;
  /** Returns the certificate whose key signs now. */
  current(): Promise<{ readonly certificate: string; readonly isConfigured: boolean }>;
  /** Returns PEM: the certificate whose key signs now, then the other unexpired ones. */
  published(): Promise<string>;
  /** Makes a new certificate. Throws NOT_SUPPORTED where the configuration gives the certificate. */
  rotate(): Promise<void>;
}

export interface ProcessorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly log: Log;
  readonly domain: string;
  /** Configured certificate and key. Where absent, a self-signed pair is made at first use. */
  readonly files?: CertificateFiles | undefined;
}

interface Loaded {
  readonly atMs: number;
  readonly signer: { readonly certificate: string; readonly key: KeyObject; readonly isConfigured: boolean };
  readonly published: string;
}

export function createProcessor(options: ProcessorOptions): Processor {
  const { domain, clock, store } = options;
  let loaded: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;
  const load = async (): Promise<Loaded> => {
    if (loaded !== undefined && isWithin(clock, loaded.atMs, CACHE_MS)) return loaded;
    loading ??= loadAll(options).finally(() => {
      loading = undefined;
    });
    loaded = await loading;
    return loaded;
  };
  return {
    domain,
    async signAnswer(version, bytes) {
      const { signer } = await load();
      const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
      const signature = sign('sha256', data, signer.key).toString('base64');
      const [header, word] = version === 1 ? ['x-opengdpr', 'opengdpr'] : ['x-opendsr', 'opendsr'];
      return { [`${header}-processor-domain`]: `${word}.${domain}`, [`${header}-signature`]: signature };
    },
    current: async () => (await load()).signer,
    published: async () => (await load()).published,
    async rotate() {
      if (options.files !== undefined) {
        const message =
          'The certificate comes from the configuration. Replace the files of PENSTOCK_DSR_CERTIFICATE and PENSTOCK_DSR_KEY.';
        throw new AppError('NOT_SUPPORTED', message);
      }
      // a certificate in its last month gets its planned successor first; so the rotated one signs without waiting for that end
      await ensureSelfSigned(options, clock.nowMs());
      await makeSelfSigned(options, (await lastGeneration(store, domain)) + 1);
      loaded = undefined;
    },
  };
}

async function loadAll(options: ProcessorOptions): Promise<Loaded> {
  const { store, clock, domain, files, keyRing } = options;
  const atMs = clock.nowMs();
  const given = files === undefined ? undefined : await readConfiguredPair(files, domain);
  if (given !== undefined) await storeConfigured(store, domain, { certificate: given.certificate, nowMs: atMs });
  else await ensureSelfSigned(options, atMs);
  const kept = await listCertificates(store, domain, atMs);
  const signer = given === undefined ? chooseSelfSigned(kept, { keyRing, atMs }) : { ...given, isConfigured: true };
  return { atMs, signer, published: publish(signer, kept) };
}

/** Makes the first certificate, and a successor in time before the last one ends. */
async function ensureSelfSigned(options: ProcessorOptions, nowMs: number): Promise<void> {
  // the number is read before the list: a certificate made in between is then in the list, or has this number
  const generation = (await lastGeneration(options.store, options.domain)) + 1;
  const own = (await listCertificates(options.store, options.domain, nowMs)).filter(isSelfSigned);
  const isLasting = own.some(({ expiresOn }) => expiresOn.getTime() - RENEW_MS > nowMs);
  if (!isLasting) await makeSelfSigned(options, generation);
}

async function makeSelfSigned(options: ProcessorOptions, generation: number): Promise<void> {
  const { store, log, domain } = options;
  if (!(await insertSelfSigned(store, options, generation))) return;
  const meaning =
    'Answers and callbacks of data subject requests are signed with a self-signed certificate: a receiver trusts it only after comparing its fingerprint (penstock dsr certificate). Set PENSTOCK_DSR_CERTIFICATE and PENSTOCK_DSR_KEY to use one of an authority.';
  log.warn({ domain: `opendsr.${domain}`, generation, meaning }, 'dsr.certificate-made');
}

const isSelfSigned = ({ privateKey }: StoredCertificate): boolean => privateKey !== null;

/**
 * Chooses the newest certificate that every daemon has had time to serve. Skips a planned successor that still waits, and falls
 * back to the oldest.
 */
function chooseSelfSigned(
  kept: readonly StoredCertificate[],
  { keyRing, atMs }: { readonly keyRing: KeyRing; readonly atMs: number },
): Loaded['signer'] {
  const own = kept.filter(isSelfSigned);
  const served = own.filter(({ createdOn }) => createdOn.getTime() + CACHE_MS <= atMs);
  const signing = served.find((newer, at) => !isWaiting(newer, served[at + 1], atMs));
  const chosen = signing ?? own.at(-1);
  if (chosen === undefined) throw new AppError('INTERNAL', 'No certificate was found after one was created.');
  return { certificate: chosen.certificate, key: decryptKey(keyRing, chosen), isConfigured: false };
}

/**
 * Tells whether a certificate waits for the end of an older one. Such a successor was made within the renewal time, not by a
 * rotation. It takes over just before that end, so that no daemon signs with the older one after it.
 */
function isWaiting({ createdOn }: StoredCertificate, older: StoredCertificate | undefined, atMs: number): boolean {
  if (older === undefined) return false;
  const endMs = older.expiresOn.getTime();
  return createdOn.getTime() >= endMs - RENEW_MS && endMs > atMs + CACHE_MS;
}

function publish({ certificate }: ConfiguredPair, kept: readonly StoredCertificate[]): string {
  const signing = fingerprintOf(certificate);
  const others = kept.filter(({ fingerprint }) => fingerprint !== signing);
  return [certificate, ...others.map((other) => other.certificate)].join('');
}
