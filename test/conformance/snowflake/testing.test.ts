// A connection test names each thing that is missing; connections lead to permitted addresses only.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { snowflake } from '../../../connectors/snowflake/index.ts';
import type { Session } from '../../../src/warehouse/index.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../support/apis/localhost-certificate.ts';
import { type FakeBehaviour, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, readAll, requestOf, statement } from '../reading.ts';
import { CONFIG, failureOf, openOn } from './open-on.ts';

async function stagesOf(session: Session): Promise<readonly string[]> {
  return (await session.probe(NEVER)).map(({ name, status, message }) => `${name} ${status}: ${message}`);
}

async function probed(behaviour: FakeBehaviour): Promise<readonly string[]> {
  await using server = await openFakeSnowflake(behaviour);
  await using session = await openOn(server.port);
  return await stagesOf(session);
}

const tables = (count: string) => () => ({ columns: [{ name: 'TABLES', type: 'fixed', scale: 0 }], rows: [[count]] });

describe('a connection test', () => {
  it('passes every stage of a connection that can be used', async () => {
    expect(await probed({ answer: tables('3') })).toEqual([
      expect.stringContaining('reach passed: 127.0.0.1'),
      expect.stringContaining('tls passed: The connection is not encrypted'),
      'sign_in passed: PENSTOCK may sign in to myorg-local as READER.',
      'use_objects passed: WH and SHOP can be used.',
      'read passed: READER sees 3 tables and views in SHOP.',
    ]);
  });

  it('stops where nobody listens', async () => {
    await using session = await openOn(1);
    const [reach, tls] = await stagesOf(session);
    expect(reach).toContain('reach failed: The warehouse: connect ECONNREFUSED');
    expect(tls).toContain('tls skipped');
  });

  it('stops where the certificate is nobody’s', async () => {
    const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accessUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
    await using session = await openOn(0, {}, { endpoints: { snowflake: { accessUrl } } });
    const [reach, tls, signIn] = await stagesOf(session);
    server.close();
    expect([reach, signIn]).toEqual([
      expect.stringContaining('reach passed'),
      expect.stringContaining('sign_in skipped'),
    ]);
    expect(tls).toContain('tls failed');
  });

  it('stops at a wrong password', async () => {
    const stages = await probed({ signIn: () => ({ code: '390100', message: 'Incorrect username or password.' }) });
    expect(stages[2]).toContain('sign_in failed: The warehouse: Incorrect username or password.');
    expect(stages[2]).toContain('config.user');
    expect(stages[3]).toContain('use_objects skipped');
  });

  it.each([
    ['finalWarehouseName', 'GRANT USAGE ON WAREHOUSE WH TO ROLE READER'],
    ['finalDatabaseName', 'GRANT USAGE ON DATABASE SHOP TO ROLE READER'],
  ])('names the grant where the session has no %s', async (name, grant) => {
    const stages = await probed({ uses: { [name]: null } });
    expect(stages[3]).toContain('use_objects failed');
    expect(stages[3]).toContain(grant);
    expect(stages[4]).toContain('read skipped');
  });

  it('says which grants show tables where the role sees none', async () => {
    const stages = await probed({ answer: tables('0') });
    expect(stages[4]).toContain('read passed: READER sees no table in SHOP');
    expect(stages[4]).toContain('GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE READER');
  });

  it('names the warehouse where none can be used for a statement', async () => {
    const refusal = {
      code: '000606',
      sqlState: '57P03',
      message: 'No active warehouse selected in the current session.',
    };
    const stages = await probed({ answer: () => refusal });
    expect(stages[4]).toContain('read failed');
    expect(stages[4]).toContain('GRANT USAGE ON WAREHOUSE');
  });
});

describe('the network', () => {
  it.each([
    [
      'one that no setting allows',
      { allowedHosts: ['*.snowflakecomputing.com'], refused: [] },
      'PENSTOCK_WAREHOUSE_HOSTS',
    ],
    ['Penstock’s own store', undefined, 'own store'],
  ])('is not asked for an account at %s', async (_, rules, text) => {
    await using server = await openFakeSnowflake();
    const network = rules ?? { allowedHosts: [], refused: [{ host: '127.0.0.1', port: server.port }] };
    await using session = await openOn(server.port, {}, { network });
    const failure = await failureOf(() => session.describe(statement('SELECT 1'), NEVER));
    expect(failure).toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining(text) });
    expect(server.signIns).toEqual([]);
    expect((await session.probe(NEVER))[0]).toMatchObject({ name: 'reach', status: 'failed' });
  });

  it('is not asked for a part of a result at a host that is not allowed, whatever the server says', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => [String(n)]);
    const columns = [{ name: 'N', type: 'fixed', scale: 0 }];
    const answer = () => ({ columns, rows, partRows: 10, partsAt: 'http://169.254.169.254' });
    await using server = await openFakeSnowflake({ answer });
    await using session = await openOn(server.port, {}, { network: { allowedHosts: ['127.0.0.1'], refused: [] } });
    const failure = await failureOf(() => readAll(session, requestOf('SELECT n')));
    expect(failure).toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('169.254.169.254') });
  });

  it('leads to the account’s own host, and nowhere else', async () => {
    const environment = warehouseEnvironment({ network: { allowedHosts: ['*.elsewhere.example'], refused: [] } });
    const config = { ...CONFIG, account_identifier: 'xy12345', region: 'eu-central-1' };
    expect(await snowflake.checkAddress?.(config, environment)).toEqual([
      {
        path: 'config.account_identifier',
        message: expect.stringContaining('xy12345.eu-central-1.snowflakecomputing.com'),
      },
    ]);
  });
});

it('gives the bytes that EXPLAIN expects', async () => {
  const plan =
    '{"GlobalStats":{"partitionsTotal":9,"partitionsAssigned":4,"bytesAssigned":9007199254740},"Operations":[]}';
  await using server = await openFakeSnowflake({
    answer: () => ({ columns: [{ name: 'content', type: 'text' }], rows: [[plan]] }),
  });
  await using session = await openOn(server.port);
  expect(await session.estimate?.(statement('SELECT 1'), NEVER)).toEqual({ unit: 'bytes', amount: 9007199254740 });
  expect(server.statements[0]?.sqlText).toBe('EXPLAIN USING JSON SELECT 1');
});
