// Rows of dsr_certificates. Certificates that Penstock made have their key; configured ones have none.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Clock, type KeyRing, Secret } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { createSelfSigned } from './create-self-signed.ts';
import type { dsrCertificates } from './tables.ts';

export type StoredCertificate = Readonly<typeof dsrCertificates.$inferSelect>;

/** Returns the SHA-256 of a certificate in lower-case hex. */
export function fingerprintOf(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}

/** Returns the encryption context of a certificate's key. */
export const certificateContext = (fingerprint: string): string => `dsr_certificates/${fingerprint}`;

/** Lists the unexpired certificates of a domain, the newest first. */
export async function listCertificates(sql: Sql, domain: string, nowMs: number): Promise<readonly StoredCertificate[]> {
  return sql.query<StoredCertificate>(
    `SELECT fingerprint, domain, generation, certificate, private_key AS "privateKey", created_on AS "createdOn",
            expires_on AS "expiresOn"
     FROM dsr_certificates WHERE domain = $1 AND expires_on > $2 ORDER BY created_on DESC, fingerprint`,
    [domain, new Date(nowMs)],
  );
}

/** Returns the highest generation made for the domain, expired ones included; 0 where none was made. */
export async function lastGeneration(sql: Sql, domain: string): Promise<number> {
  const [newest] = await sql.query<{ generation: number | null }>(
    'SELECT max(generation) AS generation FROM dsr_certificates WHERE domain = $1',
    [domain],
  );
  return newest?.generation ?? 0;
}

interface Making {
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly domain: string;
}

/** Makes the certificate of that generation. Returns false where another daemon made it first. */
export async function insertSelfSigned(sql: Sql, making: Making, generation: number): Promise<boolean> {
  const { clock, keyRing, domain } = making;
  const nowMs = clock.nowMs();
  const { certificate, privateKey } = await createSelfSigned(domain, nowMs);
  const sealed = keyRing.encrypt(new Secret(privateKey), certificateContext(fingerprintOf(certificate)));
  return insertCertificate(sql, { domain, certificate, generation, privateKey: sealed, nowMs });
}

/** Stores a configured certificate, so that it is served until it expires even after another has replaced it. */
export async function storeConfigured(
  sql: Sql,
  domain: string,
  given: { readonly certificate: string; readonly nowMs: number },
): Promise<void> {
  await insertCertificate(sql, { domain, ...given, generation: null, privateKey: null });
}

interface NewCertificate extends Pick<StoredCertificate, 'domain' | 'certificate' | 'generation' | 'privateKey'> {
  readonly nowMs: number;
}

/** Inserts a certificate. Returns false where it is stored already, or another of that generation is. */
async function insertCertificate(sql: Sql, { nowMs, ...made }: NewCertificate): Promise<boolean> {
  const { domain, certificate, generation, privateKey } = made;
  const expiresOn = new Date(new X509Certificate(certificate).validTo);
  const rows = await sql.query(
    `INSERT INTO dsr_certificates (fingerprint, domain, generation, certificate, private_key, created_on, expires_on)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING fingerprint`,
    [fingerprintOf(certificate), domain, generation, certificate, privateKey, new Date(nowMs), expiresOn],
  );
  return rows.length === 1;
}

/** Decrypts the private key of a certificate. Throws SECRET_UNREADABLE. */
export function decryptKey(keyRing: KeyRing, { fingerprint, privateKey }: StoredCertificate): KeyObject {
  return createPrivateKey(keyRing.decrypt(privateKey ?? '', certificateContext(fingerprint)).reveal());
}
