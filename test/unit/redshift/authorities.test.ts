import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { AUTHORITIES, authoritiesOf } from '../../../connectors/redshift/link/authorities.ts';
import { attemptsOf } from '../../../connectors/redshift/link/tls.ts';

const CONFIG = { host: 'db.example.com', database: 'd', user: 'u', password: 'p', sslmode: 'verify-full' };
const certificatesOf = (name: string) =>
  (authoritiesOf(name).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );

describe.each(AUTHORITIES)('the authorities of %s', (name) => {
  it('sign themselves, and nobody signs for them', () => {
    const certificates = certificatesOf(name);
    expect(certificates.length).toBeGreaterThan(0);
    for (const certificate of certificates) {
      expect([certificate.subject, certificate.ca, certificate.verify(certificate.publicKey)]).toEqual([
        certificate.issuer,
        true,
        true,
      ]);
    }
    expect(new Set(certificates.map(({ fingerprint256 }) => fingerprint256)).size).toBe(certificates.length);
  });

  it('are accepted by name, and are all that is trusted then', () => {
    expect(redshift.checkConfig({ ...CONFIG, sslrootcert: name })).toEqual([]);
    const [options] = attemptsOf({ ...CONFIG, sslrootcert: name }, '10.0.0.1');
    expect(options).toMatchObject({ rejectUnauthorized: true, secureContext: expect.anything() });
  });
});

// fingerprints that others publish: Amazon Trust Services, DigiCert, Microsoft, and projects that pin Supabase's
it.each([
  ['aws-rds', '8ecde6884f3d87b1125ba31ac3fcb13d7016de7f57cc904fe1cb97c6ae98196e'],
  ['azure', 'cb3ccbb76031e5e0138f8dd39a23f9de47ffc35e43c1144cea27d46a5ab1cb5f'],
  ['azure', 'c741f70f4b2a8d88bf2e71c14122ef53ef10eba0cfa5e64cfa20f418853073e0'],
  ['supabase', '807025ad50d4ed219d2c9c7d299c004f824eb00cf7f65afef607d07b72e6cafa'],
])('%s holds the certificate %s', (name, fingerprint) => {
  const found = certificatesOf(name).map(({ raw }) => createHash('sha256').update(raw).digest('hex'));
  expect(found).toContain(fingerprint);
});

it('Cloud SQL has no authority for all, which the message says', () => {
  expect(redshift.checkConfig({ ...CONFIG, sslrootcert: 'gcp' })).toMatchObject([
    { path: 'config.sslrootcert', message: expect.stringContaining('server-ca.pem') },
  ]);
  expect(redshift.checkConfig({ ...CONFIG, sslrootcert: 'amazon' })).toMatchObject([
    { message: expect.stringContaining('aws-rds, azure, supabase') },
  ]);
});
