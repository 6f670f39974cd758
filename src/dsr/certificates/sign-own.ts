import { generateKeyPair, hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { bits, moment, nothing, objectId, octets, positive, sequence, set, tagged, utf8 } from './der.ts';

const MODULUS_BITS = 2048;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VALID_MS = 730 * DAY_MS;

const SHA256_WITH_RSA = '1.2.840.113549.1.1.11';
const COMMON_NAME = '2.5.4.3';
const SUBJECT_KEY_ID = '2.5.29.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const DNS_NAME = 0x82;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const V3 = Buffer.from([2]);
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

export interface OwnPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
  readonly privateKey: string;
}

/**
 * An RSA key and a certificate that it signs itself (rulings §4: CN `opendsr.<domain>`, SAN also `opengdpr.<domain>`), valid
 * for two years. node:crypto reads certificates and makes none.
 */
export async function signOwn(domain: string, nowMs: number): Promise<OwnPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  const content = contentOf(publicKey, { domain, nowMs });
  const signature = sign('sha256', content, privateKey);
  const der = sequence(content, sequence(objectId(SHA256_WITH_RSA), nothing()), bits(signature));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** TBSCertificate (RFC 5280, 4.1). */
function contentOf(
  publicKey: KeyObject,
  { domain, nowMs }: { readonly domain: string; readonly nowMs: number },
): Buffer {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = hash('sha256', key, 'buffer').subarray(0, 20);
  const name = sequence(set(sequence(objectId(COMMON_NAME), utf8(`opendsr.${domain}`))));
  return sequence(
    tagged(VERSION, positive(V3)),
    positive(serialOf(keyId)),
    sequence(objectId(SHA256_WITH_RSA), nothing()),
    name,
    // a receiver whose clock is behind takes it too
    sequence(moment(new Date(nowMs - HOUR_MS)), moment(new Date(nowMs + VALID_MS))),
    name,
    key,
    tagged(EXTENSIONS, sequence(...extensionsOf(domain, keyId))),
  );
}

/** As unique as the key is; 20 bytes at most, positive, without a leading zero (RFC 5280, 4.1.2.2). */
function serialOf(keyId: Uint8Array): Uint8Array {
  const [first = 0, ...rest] = keyId.subarray(0, 16);
  return Uint8Array.of((first & 0x3f) | 0x40, ...rest);
}

function extensionsOf(domain: string, keyId: Uint8Array): readonly Buffer[] {
  const names = [`opendsr.${domain}`, `opengdpr.${domain}`].map((name) => tagged(DNS_NAME, Buffer.from(name)));
  return [
    sequence(objectId(SUBJECT_KEY_ID), octets(octets(keyId))),
    sequence(objectId(SUBJECT_ALTERNATIVE_NAME), octets(sequence(...names))),
    // its own authority: whoever trusts it needs no other
    sequence(objectId(BASIC_CONSTRAINTS), TRUE, octets(sequence(TRUE))),
  ];
}
