// The certificate: given, or a self-signed pair that is served until it expires (D-066).
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProcessor, type ProcessorOptions } from '../../../../src/dsr/certificates/create-processor.ts';
import { createSelfSigned } from '../../../../src/dsr/certificates/create-self-signed.ts';
import { dsrSealedTables } from '../../../../src/dsr/index.ts';
import { createLog } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { DAY_MS, MINUTE_MS, opensslCertificate, opensslVerifies } from '../../../support/apis/callback-rig.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../support/apis/localhost-certificate.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { fakeClock } from '../../../support/clocks/fake-clock.ts';
import { reencryptAll } from '../../../support/stores/reencrypt-all.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

let store: Store;
let folder: string;
beforeAll(async () => {
  store = await openTestStore();
  folder = await mkdtemp(join(tmpdir(), 'penstock-certificate-'));
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
beforeEach(() => store.execute('DELETE FROM dsr_certificates'));

const DOMAIN = 'shop.example';
const clock = fakeClock();
const processorOf = (options: Partial<ProcessorOptions> = {}) =>
  createProcessor({ store, clock, keyRing: testKeyRing(), log: createLog('silent'), domain: DOMAIN, ...options });
const countOf = (pem: string): number => pem.split('-----BEGIN CERTIFICATE-----').length - 1;
const signatureOf = (headers: Readonly<Record<string, string>>): string => headers['x-opendsr-signature'] ?? '';

async function given(name: string, pair: { readonly certificate: string; readonly privateKey: string }) {
  const files = { certificate: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  await writeFile(files.certificate, pair.certificate);
  await writeFile(files.key, pair.privateKey);
  return files;
}

describe('without one in the configuration', () => {
  test('one that signs itself is made once, however many daemons ask', async () => {
    const daemons = [processorOf(), processorOf(), processorOf()];
    const published = await Promise.all(daemons.map((daemon) => daemon.published()));
    expect(new Set(published).size).toBe(1);
    expect(countOf(published[0] ?? '')).toBe(1);
    expect(await processorOf().published()).toBe(published[0]);
  });

  test('the log warns of it when it is made, once and loudly', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    await processorOf({ log }).published();
    await processorOf({ log }).published();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        msg: 'dsr.certificate-made',
        domain: 'opendsr.shop.example',
        meaning: expect.stringMatching(/PENSTOCK_DSR_CERTIFICATE/),
      },
    ]);
  });

  test('it is for both names of the domain, RSA, and openssl has nothing against it', async () => {
    const pem = await processorOf().published();
    expect(opensslCertificate(pem, '-subject')).toContain('CN = opendsr.shop.example');
    expect(opensslCertificate(pem, '-ext', 'subjectAltName')).toMatch(
      /DNS:opendsr.shop.example, DNS:opengdpr.shop.example/,
    );
    expect(opensslCertificate(pem, '-checkhost', 'opendsr.shop.example')).toContain('does match');
    expect(opensslCertificate(pem, '-checkhost', 'opendsr.other.example')).toContain('does NOT match');
    expect(opensslCertificate(pem, '-text')).toContain('Public-Key: (2048 bit)');
    const { validFrom, validTo } = new X509Certificate(pem);
    expect(Date.parse(validFrom)).toBeLessThanOrEqual(clock.nowMs());
    expect(Date.parse(validTo)).toBeGreaterThan(clock.nowMs() + 729 * DAY_MS);
  });

  test('its key lies in the store encrypted', async () => {
    await processorOf().published();
    const [row] = await store.query<{ text: string }>('SELECT private_key AS text FROM dsr_certificates');
    expect(row?.text).toMatch(/^test\./);
    expect(Buffer.from(row?.text.split('.')[3] ?? '', 'base64url').includes('PRIVATE KEY')).toBe(false);
  });

  test('its key is written anew with the newest encryption key', async () => {
    const pem = await processorOf().published();
    const again = () => reencryptAll(store, testKeyRing('newer', 'test'), dsrSealedTables);
    expect(await again()).toMatchObject({ dsr_certificates: 1 });
    expect(await again()).toMatchObject({ dsr_certificates: 0 });
    const { signAnswer } = processorOf({ keyRing: testKeyRing('newer') });
    expect(opensslVerifies(pem, signatureOf(await signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
  });

  test('another domain has another one', async () => {
    const [one, other] = [await processorOf().published(), await processorOf({ domain: 'other.example' }).published()];
    expect(new X509Certificate(other).subject).toBe('CN=opendsr.other.example');
    expect(countOf(one) + countOf(other)).toBe(2);
  });
});

describe('a rotation', () => {
  test('serves the new one before it signs, and the old one until it expires', async () => {
    const daemon = processorOf();
    const old = await daemon.published();
    clock.advance(2 * MINUTE_MS);
    await daemon.rotate();
    const both = await daemon.published();
    expect(countOf(both)).toBe(2);
    // the one that signs stands first, because that is what a receiver reads
    expect(both.startsWith(old)).toBe(true);
    expect(opensslVerifies(old, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
    clock.advance(2 * MINUTE_MS);
    const turned = await daemon.published();
    expect(countOf(turned)).toBe(2);
    expect(turned.startsWith(old)).toBe(false);
    expect(opensslVerifies(turned, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
    clock.advance(730 * DAY_MS);
    expect(await daemon.published()).not.toContain(old);
    clock.advance(-730 * DAY_MS);
  });

  test('comes by itself a month before the end', async () => {
    const daemon = processorOf();
    await daemon.published();
    clock.advance(705 * DAY_MS);
    expect(countOf(await daemon.published())).toBe(2);
    clock.advance(-705 * DAY_MS);
  });

  test('that came by itself leaves the old one signing until its end, for receivers may have kept it', async () => {
    const daemon = processorOf();
    const old = await daemon.published();
    clock.advance(705 * DAY_MS);
    await daemon.published();
    clock.advance(24 * DAY_MS);
    const both = await daemon.published();
    expect(countOf(both)).toBe(2);
    expect(both.startsWith(old)).toBe(true);
    expect(opensslVerifies(old, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
    clock.advance(2 * DAY_MS);
    const after = await daemon.published();
    expect(countOf(after)).toBe(1);
    expect(both).toContain(after);
    expect(opensslVerifies(after, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
    clock.advance(-731 * DAY_MS);
  });

  test.each(['before', 'after'])('that is asked for signs at once, %s the next one came by itself', async (when) => {
    const daemon = processorOf();
    const old = await daemon.published();
    clock.advance(705 * DAY_MS);
    if (when === 'after') await daemon.published();
    await daemon.rotate();
    clock.advance(2 * MINUTE_MS);
    const turned = await daemon.published();
    expect(turned).toContain(old);
    expect(opensslVerifies(old, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(false);
    expect(opensslVerifies(turned, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(true);
    clock.advance(-705 * DAY_MS - 2 * MINUTE_MS);
  });
});

describe('one of the configuration', () => {
  test('signs, is served with its chain, and makes none of our own', async () => {
    const pair = await createSelfSigned(DOMAIN, clock.nowMs());
    const files = await given('own', { ...pair, certificate: `${pair.certificate}${CERTIFICATE}` });
    const daemon = processorOf({ files });
    expect(await daemon.published()).toBe(`${pair.certificate}${CERTIFICATE}`);
    expect(opensslVerifies(pair.certificate, signatureOf(await daemon.signAnswer(2, 'x')), Buffer.from('x'))).toBe(
      true,
    );
    expect(await daemon.current()).toMatchObject({ isConfigured: true });
    expect(await store.query('SELECT 1 FROM dsr_certificates WHERE private_key IS NOT NULL')).toEqual([]);
    await expect(daemon.rotate()).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
  });

  test('that follows another is taken without a restart, and the other is served until it expires', async () => {
    const [first, second] = [
      await createSelfSigned(DOMAIN, clock.nowMs()),
      await createSelfSigned(DOMAIN, clock.nowMs()),
    ];
    const daemon = processorOf({ files: await given('turning', first) });
    expect(await daemon.published()).toBe(first.certificate);
    await given('turning', second);
    clock.advance(MINUTE_MS);
    expect(await daemon.published()).toBe(second.certificate + first.certificate);
    expect(opensslVerifies(second.certificate, signatureOf(await daemon.signAnswer(3, 'x')), Buffer.from('x'))).toBe(
      true,
    );
  });

  test.each([
    [
      'for another domain',
      async () => createSelfSigned('other.example', clock.nowMs()),
      /is not valid for opendsr.shop.example/,
    ],
    ['without RSA', async () => ({ certificate: CERTIFICATE, privateKey: CERTIFICATE_KEY }), /not an RSA certificate/],
    [
      'with the key of another',
      async () => ({
        ...(await createSelfSigned(DOMAIN, clock.nowMs())),
        privateKey: (await createSelfSigned(DOMAIN, clock.nowMs())).privateKey,
      }),
      /does not belong to the key/,
    ],
    ['that is none', async () => ({ certificate: 'x', privateKey: CERTIFICATE_KEY }), /no certificate in PEM/],
    [
      'without its key',
      async () => ({ ...(await createSelfSigned(DOMAIN, clock.nowMs())), privateKey: 'x' }),
      /no private key/,
    ],
  ])('%s is refused with the reason', async (name, make, reason) => {
    const files = await given(name.replaceAll(' ', '-'), await make());
    const daemon = processorOf({ files });
    await expect(daemon.published()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(reason),
    });
  });

  test('whose file is away is refused with its path', async () => {
    const daemon = processorOf({ files: { certificate: '/no/such.pem', key: '/no/such.key' } });
    await expect(daemon.published()).rejects.toThrow(/PENSTOCK_DSR_(CERTIFICATE|KEY): \/no\/such/);
  });
});

test('a key that signs itself is a key of its certificate', async () => {
  const { certificate, privateKey } = await createSelfSigned(DOMAIN, clock.nowMs());
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey))).toBe(true);
});
