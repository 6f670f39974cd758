import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { connectionBody, openSyncApi, type SyncApi } from '../../support/apis/sync-api.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

const STORE_PORT = 15_999;
let api: SyncApi;
let warehouse: PostgresWarehouse;

beforeAll(async () => {
  warehouse = await openPostgresWarehouse();
  await warehouse.seed(['CREATE TABLE people (customer_id text, updated_at timestamptz, lived daterange)']);
  const network = {
    allowedHosts: ['127.0.0.1', 'localhost', '*.example.com'],
    refused: [{ host: '127.0.0.1', port: STORE_PORT }],
  };
  api = await openSyncApi({
    fleet: { Gamma: redshift },
    connectorEnvironment: () => warehouseEnvironment({ network }),
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

const bodyOf = (id: string, changed: object = {}) => ({
  ...connectionBody,
  id,
  service_provider: 'PostgreSQL',
  config: { ...warehouse.config, ...changed },
});

describe('a connection to PostgreSQL', () => {
  it.each([
    { sslmode: 'disable' },
    { sslrootcert: '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----' },
    { user: 'somebody_else' },
    { database: 'elsewhere' },
    { ssh_host: 'ssh.example.com' },
  ])(
    'refuses the mask beside TLS that somebody else may open, and for another user or database: %j',
    async (change) => {
      const [field = ''] = Object.keys(change);
      const body = bodyOf(`tls-${field}`, { sslmode: 'verify-full' });
      expect((await api.admin.post('/connections', body)).status).toBe(200);
      const put = (more: object) =>
        api.admin.put(`/connections/${body.id}`, {
          ...body,
          config: { ...body.config, password: SECRET_MASK, ...more },
        });
      const answer = await put(change);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toContain(
        `config.password: is the mask, but config.${field} changed; send the secret itself`,
      );
      expect((await put({})).status).toBe(200);
    },
  );

  it.each([
    { user: 'admin' },
    { aws_region: 'eu-west-2' },
    { cluster_identifier: 'other' },
    { aws_assume_role_arn: 'arn:aws:iam::123456789012:role/other' },
  ])('masks the secrets of AWS, and refuses the mask for another place or role: %j', async (change) => {
    const [field = ''] = Object.keys(change);
    const { password: _, ...place } = warehouse.config;
    const id = `aws-${field}`;
    const config = {
      ...{ ...place, aws_region: 'eu-west-1', cluster_identifier: 'shop' },
      ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'a-secret-key' },
    };
    const { body } = await api.admin.post('/connections', {
      ...connectionBody,
      id,
      service_provider: 'Redshift',
      config,
    });
    expect(body.config).toMatchObject({ ...config, aws_secret_access_key: SECRET_MASK });
    const put = (more: object) =>
      api.admin.put(`/connections/${id}`, {
        ...{ ...connectionBody, id, service_provider: 'Redshift' },
        config: { ...config, aws_secret_access_key: SECRET_MASK, ...more },
      });
    const answer = await put(change);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toContain(
      `config.aws_secret_access_key: is the mask, but config.${field} changed`,
    );
    expect((await put({})).status).toBe(200);
  });

  it('is healthy when it works; its password is masked and stays when the mask comes back', async () => {
    const { status, body } = await api.admin.post('/connections', bodyOf('good'));
    expect([status, body]).toMatchObject([200, { status: 'healthy', errors: [], service_provider: 'Gamma' }]);
    expect(body.config).toEqual({ ...warehouse.config, password: SECRET_MASK });
    const put = await api.admin.put('/connections/good', bodyOf('good', { password: SECRET_MASK }));
    expect(put).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });

  it('is tested stage by stage', async () => {
    const { body } = await api.admin.post('/connections/good/test');
    expect(body.stages.map(({ name, status }: Record<string, string>) => [name, status])).toEqual([
      ['reach', 'passed'],
      ['tls', 'passed'],
      ['sign_in', 'passed'],
      ['use_objects', 'passed'],
      ['read', 'passed'],
    ]);
  });

  it('is faulted, and says why, when it does not', async () => {
    const { status, body } = await api.admin.post('/connections', bodyOf('bad', { password: 'wrong' }));
    expect([status, body.status]).toEqual([200, 'faulted']);
    expect(body.errors[0].message).toContain('password authentication failed');
    expect(JSON.stringify(body)).not.toContain('wrong');
  });

  it('has the port 5439 where none is given', async () => {
    const { port: _, ...config } = warehouse.config;
    const { body } = await api.admin.post('/connections', { ...bodyOf('default'), config });
    expect(body.config.port).toBe('5439');
  });

  it.each([
    [{ host: 'localhost', port: String(STORE_PORT) }, 'config.host: localhost:15999 is Penstock’s own store'],
    [{ host: '10.0.0.1' }, 'PENSTOCK_WAREHOUSE_HOSTS'],
    [{ port: 5432 }, 'config.port: must be text, in quotes'],
    [{ sslmode: 'sometimes' }, 'config.sslmode: must be one of disable, prefer, require'],
    [{ sslrootcert: '/etc/ca.pem' }, 'config.sslrootcert: must be certificates in PEM'],
    [{ user: undefined }, 'config: lacks user;'],
    [{ schema: 'x' }, 'config.schema: is not a field of this provider'],
  ])('is refused with %j', async (changed, message) => {
    const refused = await api.admin.post('/connections', bodyOf('refused', changed));
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining(message)]);
    expect((await api.admin.put('/connections/good', bodyOf('good', changed))).status).toBe(400);
  });

  it('describes models by their columns, and refuses what the server does', async () => {
    await api.admin.put('/connections/good', bodyOf('good'));
    const model = (id: string, sql: string) =>
      api.admin.post('/data-models', { id, name: id, state: 'active', type: 'sql', config: { sql_query: sql } });
    await model('people', 'SELECT * FROM people');
    const { body } = await api.admin.post('/data-models/people/validate', { connection_id: 'good' });
    expect(body).toEqual({
      status: 'valid',
      errors: [],
      columns: [
        { name: 'customer_id', type: 'text' },
        { name: 'updated_at', type: 'timestamp with time zone' },
        { name: 'lived', type: 'daterange' },
      ],
    });
    await model('nothing', 'SELECT nothing FROM people');
    const invalid = await api.admin.post('/data-models/nothing/validate', { connection_id: 'good' });
    expect(invalid.body).toMatchObject({
      status: 'invalid',
      errors: [{ message: expect.stringContaining('"nothing"') }],
    });
  });
});
