import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { createTestAuthority, type Pair } from '../../support/apis/test-authority.ts';
import { until } from '../../support/clocks/until.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { type OwnServers, openOwnServers } from '../../support/stores/own-servers.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

/** `reader` needs a password and a certificate with its name, `certified` the certificate alone. */
const HBA = `host all penstock 127.0.0.1/32 scram-sha-256
hostssl all reader 127.0.0.1/32 scram-sha-256 clientcert=verify-full
hostssl all certified 127.0.0.1/32 cert
`;

const authority = await createTestAuthority('Authority of the test');
const stranger = await createTestAuthority('Authority of somebody else');
let servers: OwnServers;
let base: Readonly<Record<string, string>>;

beforeAll(async () => {
  const server = await authority.sign('localhost');
  servers = await openOwnServers([
    {
      files: {
        'pg_hba.conf': HBA,
        'server.crt': server.certificate,
        'server.key': server.key,
        'clients.crt': authority.certificate,
      },
      settings: ['ssl=on', 'ssl_ca_file=clients.crt'],
    },
  ]);
  const [port = 0] = servers.ports;
  await servers.seed(port, [
    "CREATE ROLE reader LOGIN PASSWORD 'secret'",
    'CREATE ROLE certified LOGIN',
    'CREATE TABLE t (a integer)',
    'GRANT SELECT ON t TO reader, certified',
  ]);
  base = {
    ...{ host: 'localhost', port: String(port), database: 'postgres', user: 'reader', password: 'secret' },
    ...{ sslmode: 'verify-full', sslrootcert: authority.certificate },
  };
});
afterAll(() => servers[Symbol.asyncDispose]());

const clientFields = ({ certificate, key }: Pair) => ({ sslcert: certificate, sslkey: key });

function open(changed: object) {
  return redshift.open({ ...base, ...changed }, warehouseEnvironment(), NEVER);
}

async function failureOf(changed: object): Promise<unknown> {
  await using session = await open(changed);
  return session.clock(NEVER).catch((failure: unknown) => failure);
}

describe('a server that asks for certificates of clients', () => {
  it.each(['verify-full', 'verify-ca', 'require'])('is read and cancelled with one, sslmode %s', async (sslmode) => {
    await using session = await open({ sslmode, ...clientFields(await authority.sign('reader')) });
    expect((await session.probe(NEVER)).map(({ status }) => status)).toEqual(Array(5).fill('passed'));
    const stop = new AbortController();
    const reading = readAll(session, requestOf('SELECT pg_sleep(600)'), stop.signal);
    const asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    await using other = await open(clientFields(await authority.sign('reader')));
    const sleepers = async () => (await readAll(other, requestOf(asleep))).rows.length;
    await until(async () => (await sleepers()) === 1);
    stop.abort();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    await until(async () => (await sleepers()) === 0);
  });

  it('names the fields when none is given', async () => {
    expect(await failureOf({})).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringMatching(/valid client certificate.*config\.sslcert and config\.sslkey/),
    });
  });

  it('refuses one of another user, and one of an authority that it does not know', async () => {
    expect(await failureOf(clientFields(await authority.sign('somebody')))).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
    });
    expect(await failureOf(clientFields(await stranger.sign('reader')))).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('config.sslcert'),
    });
  });

  it('still asks for the password', async () => {
    const pair = clientFields(await authority.sign('reader'));
    expect(await failureOf({ ...pair, password: 'wrong' })).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('password authentication failed'),
    });
  });

  it('is no server of a managed service', async () => {
    for (const sslrootcert of ['aws-rds', 'azure', 'supabase']) {
      const failure = await failureOf({ sslrootcert, ...clientFields(await authority.sign('reader')) });
      expect(failure).toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('sslrootcert') });
    }
  });
});

describe('certificate and key of a client', () => {
  it.each<[string, () => Promise<object>, string]>([
    ['alone', async () => ({ sslcert: (await authority.sign('reader')).certificate }), 'sslcert and sslkey together'],
    [
      'of two pairs',
      async () => ({
        sslcert: (await authority.sign('reader')).certificate,
        sslkey: (await authority.sign('reader')).key,
      }),
      'the key of that very certificate',
    ],
    [
      'without TLS',
      async () => ({ ...clientFields(await authority.sign('reader')), sslmode: 'disable' }),
      'an sslmode other than disable',
    ],
    ['that cannot be read', async () => ({ sslcert: 'x', sslkey: 'y' }), 'must be a certificate in PEM'],
  ])('%s are refused', async (_, changed, message) => {
    const issues = redshift.checkConfig({ ...base, ...(await changed()) });
    expect(issues.map((issue) => issue.message).join()).toContain(message);
  });

  it('of a key with a passphrase are refused', () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    });
    expect(redshift.checkConfig({ ...base, sslcert: authority.certificate, sslkey: privateKey })).toMatchObject([
      { path: 'config.sslkey', message: expect.stringContaining('without a passphrase') },
    ]);
  });
});
