import type { Issue } from '../kernel/index.ts';
import { httpAddressOf, isHostName } from './checks.ts';
import { type FilePair, readFilePair } from './file-pair.ts';
import type { Reader } from './reader.ts';

/** Settings of data subject requests. */
export interface DsrConfig {
  /** Domain of this processor in headers, certificates and names of extensions, without `opendsr.` or `opengdpr.`. */
  readonly domain: string;
  /** Domains whose extensions in requests are taken as ours. */
  readonly domainAliases: readonly string[];
  /** Certificate that signs answers and callbacks; absent: a self-signed one. */
  readonly certificate?: FilePair;
  /** Minutes between two passes of the callback queue. */
  readonly callbackMinutes: number;
  /** Times at which access and portability requests begin: a cron of five fields, UTC. */
  readonly accessCron: string;
  /** More profiles or batches than this make an ordinary value a filler, which gets no tombstone. */
  readonly fillerCarriers: number;
}

const CRON = /^[\d*,/-]+(?: [\d*,/-]+){4}$/;

export function readDsr(read: Reader, issues: Issue[]): DsrConfig {
  const certificate = readFilePair(read, issues, ['PENSTOCK_DSR_CERTIFICATE', 'PENSTOCK_DSR_KEY']);
  const parsed = read.parsed(
    'PENSTOCK_DSR_DOMAIN',
    (text) => (isHostName(text) ? text.toLowerCase() : undefined),
    'a host name',
  );
  return {
    domain: parsed ?? hostOf(httpAddressOf(read.text('PENSTOCK_BASE_URL'))),
    domainAliases: read
      .items('PENSTOCK_DSR_DOMAIN_ALIASES', isHostName, 'a host name')
      .map((name) => name.toLowerCase()),
    ...(certificate && { certificate }),
    callbackMinutes: readCallbackMinutes(read),
    fillerCarriers: read.integer('PENSTOCK_DSR_FILLER_CARRIERS', 1, 1_000_000),
    accessCron:
      read.parsed(
        'PENSTOCK_DSR_ACCESS_CRON',
        (text) => (CRON.test(text) ? text : undefined),
        'a cron of five fields, such as `0 * * * *`',
      ) ?? '* * * * *',
  };
}

/** Reads the minutes between callbacks. They divide 60, because a cron counts the minutes of each hour anew. */
function readCallbackMinutes(read: Reader): number {
  const parse = (text: string) => (/^\d{1,2}$/.test(text) && 60 % Number(text) === 0 ? Number(text) : undefined);
  const meaning = 'a number of minutes that divides 60: 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 or 60';
  return read.parsed('PENSTOCK_DSR_CALLBACK_MINUTES', parse, meaning) ?? 15;
}

// Returns the host of an address. Without a domain or a public address nobody outside is served, and any name does.
function hostOf(address: string | undefined): string {
  const name = address === undefined ? '' : new URL(address).hostname;
  return isHostName(name) ? name : 'localhost';
}
