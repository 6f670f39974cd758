// TLS from files: a certificate with its chain and a key, as PEM. New files are noticed when connections come in, so that a
// renewed certificate needs no restart, no signal and no timer.

import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { AppError, type Clock, type Log } from '../../kernel/index.ts';

export interface TlsFiles {
  /** Path of the certificate with its intermediate certificates. */
  readonly certificate: string;
  readonly key: string;
}

interface Pair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the pair at the start. Throws CONFIG_INVALID that names the wrong file and its fault. */
export function readCertificate({ certificate, key }: TlsFiles): Pair {
  const pair = {
    cert: readPart('PENSTOCK_TLS_CERTIFICATE', certificate),
    key: readPart('PENSTOCK_TLS_KEY', key),
  };
  try {
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    const message = `PENSTOCK_TLS_CERTIFICATE ${certificate} and PENSTOCK_TLS_KEY ${key} are not a matching pair of PEM files: ${String(cause)}.`;
    throw new AppError('CONFIG_INVALID', message, { cause });
  }
}

function readPart(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `${name}: ${path} cannot be read: ${String(cause)}.`, { cause });
  }
}

const LOOK_MS = 10_000;

interface Following {
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Checks the files every ten seconds while connections come in, and serves new connections with a new pair.
 * A pair that does not match, as between the writing of its two files, changes nothing and is tried again.
 */
export function followCertificate(server: Server, { files, clock, log }: Following): void {
  let lookedMs = clock.nowMs();
  let served = mark(files);
  const look = async (): Promise<void> => {
    const now = mark(files);
    if ((await now) === (await served)) return;
    server.setSecureContext({ cert: await readFile(files.certificate), key: await readFile(files.key) });
    served = now;
    log.info({ certificate: files.certificate }, 'http.certificate-renewed');
  };
  server.on('connection', () => {
    if (clock.nowMs() - lookedMs < LOOK_MS) return;
    lookedMs = clock.nowMs();
    look().catch((error: unknown) => log.error({ err: error, ...files }, 'http.certificate-unreadable'));
  });
}

/** Returns a mark that differs between versions of the files. Never rejects, so that its promise can be kept. */
async function mark({ certificate, key }: TlsFiles): Promise<string> {
  const parts = await Promise.all(
    [certificate, key].map((path) =>
      stat(path).then(
        ({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`,
        () => 'absent',
      ),
    ),
  );
  return parts.join(' ');
}
