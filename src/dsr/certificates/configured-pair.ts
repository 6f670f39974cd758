import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AppError } from '../../kernel/index.ts';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface ConfiguredPair {
  /** PEM, with its chain. */
  readonly certificate: string;
  readonly key: KeyObject;
}

/**
 * Reads the configured certificate and key. Throws CONFIG_INVALID, with file and reason, where receivers could not verify it.
 */
export async function readConfiguredPair(files: CertificateFiles, domain: string): Promise<ConfiguredPair> {
  const [certificate, keyText] = await Promise.all([
    readPart('PENSTOCK_DSR_CERTIFICATE', files.certificate),
    readPart('PENSTOCK_DSR_KEY', files.key),
  ]);
  const [leaf, key] = [parseCertificate(certificate, files), parseKey(keyText, files)];
  const fault = faultOf(leaf, key, domain);
  if (fault !== undefined) throw invalid('PENSTOCK_DSR_CERTIFICATE', `${files.certificate} ${fault}.`);
  return { certificate: certificate.trim().concat('\n'), key };
}

function faultOf(leaf: X509Certificate, key: KeyObject, domain: string): string | undefined {
  if (key.asymmetricKeyType !== 'rsa') return 'is not an RSA certificate';
  if (!leaf.checkPrivateKey(key)) return 'does not belong to the key of PENSTOCK_DSR_KEY';
  // The name for version 1 is not checked: installations without version 1 may leave it out.
  if (leaf.checkHost(`opendsr.${domain}`) === undefined)
    return `is not valid for opendsr.${domain}, the domain of answers and callbacks`;
  return undefined;
}

async function readPart(name: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw invalid(name, `${path} cannot be read: ${String(cause)}.`, cause);
  });
}

function parseCertificate(text: string, { certificate }: CertificateFiles): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw invalid('PENSTOCK_DSR_CERTIFICATE', `${certificate} contains no certificate in PEM.`, cause);
  }
}

function parseKey(text: string, { key }: CertificateFiles): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw invalid(
      'PENSTOCK_DSR_KEY',
      `${key} contains no private key in PEM that can be read without a password.`,
      cause,
    );
  }
}

function invalid(name: string, message: string, cause?: unknown): AppError {
  return new AppError('CONFIG_INVALID', `${name}: ${message}`, { cause });
}
