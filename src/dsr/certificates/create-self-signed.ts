import { KeyObject } from 'node:crypto';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
};
const HOUR_MS = 3_600_000;
const VALID_MS = 730 * 24 * HOUR_MS;

export interface SelfSignedPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
  readonly privateKey: string;
}

/**
 * Makes an RSA key and a self-signed certificate for `opendsr.<domain>` and `opengdpr.<domain>`, valid for two years. Loads the
 * library on demand: it takes 20 MB and is rarely needed.
 */
export async function createSelfSigned(domain: string, nowMs: number): Promise<SelfSignedPair> {
  const x509 = await loadLibrary();
  const keys = await crypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const names = [`opendsr.${domain}`, `opengdpr.${domain}`];
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: RSA,
    name: [{ CN: [`opendsr.${domain}`] }],
    // receivers whose clock is behind accept it too
    notBefore: new Date(nowMs - HOUR_MS),
    notAfter: new Date(nowMs + VALID_MS),
    extensions: [
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
      // a CA certificate: receivers can trust it directly
      new x509.BasicConstraintsExtension(true, undefined, true),
    ],
  });
  return {
    certificate: `${certificate.toString('pem').trim()}\n`,
    privateKey: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

async function loadLibrary(): Promise<typeof import('@peculiar/x509')> {
  // the library refuses to load without reflect-metadata
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
