import { KeyObject } from 'node:crypto';
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  type Extension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const [FROM, TO] = [new Date('2026-01-01'), new Date('2126-01-01')];

/** A certificate with its key, both in PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** An authority that signs certificates for servers and clients of tests. */
export interface TestAuthority {
  readonly certificate: string;
  /** Signs a certificate for all of the names; the first is its subject. */
  sign(...names: readonly [string, ...string[]]): Promise<Pair>;
}

export async function createTestAuthority(commonName: string): Promise<TestAuthority> {
  const keys = await newKeys();
  const name = [{ CN: [commonName] }];
  const root = await X509CertificateGenerator.createSelfSigned({
    ...{ keys, signingAlgorithm: ALGORITHM, name, notBefore: FROM, notAfter: TO },
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    certificate: root.toString('pem'),
    async sign(...names) {
      const [subject] = names;
      const own = await newKeys();
      const alternatives = names.map((value) => ({ type: 'dns' as const, value }));
      const extensions: Extension[] = [new SubjectAlternativeNameExtension(alternatives)];
      const certificate = await X509CertificateGenerator.create({
        ...{ subject: [{ CN: [subject] }], issuer: root.subject, notBefore: FROM, notAfter: TO, extensions },
        ...{ signingAlgorithm: ALGORITHM, signingKey: keys.privateKey, publicKey: own.publicKey },
      });
      const key = KeyObject.from(own.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
      return { certificate: certificate.toString('pem'), key };
    },
  };
}

function newKeys() {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
