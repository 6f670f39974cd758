import { expect, test } from 'vitest';
import type { Provider } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';
import { placeOf } from '../../../src/runs/read/open-session.ts';

const CONFIGS: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  Alpha: {
    account_identifier: 'acme-shop',
    region: 'eu',
    database: 'shop',
    warehouse: 'small',
    user: 'u',
    role: 'r',
    password: 'hidden',
  },
  Beta: { project_id: 'acme-shop', dataset_id: 'shop', service_account_id: 'a@b', service_account_key: 'hidden' },
  Gamma: { host: 'db.example.com', port: '5439', database: 'shop', user: 'u', password: 'hidden' },
  Delta: {
    provider: 'acme',
    schema: 'shop',
    host: 'dbc.example.com',
    http_path: '/sql/1',
    token: 'hidden',
    catalog: 'main',
  },
  DuckDB: { database: 'shop.duckdb', read_only: 'false' },
};
const SAME: Readonly<Record<Provider, readonly string[]>> = {
  Alpha: ['warehouse', 'user', 'role', 'password'],
  Beta: ['service_account_id', 'service_account_key'],
  Gamma: ['user', 'password'],
  Delta: ['provider', 'http_path', 'token'],
  DuckDB: ['read_only'],
};

test.each(Object.entries(CONFIGS))(
  '%s: who signs in, and with how much power, makes no other place',
  (name, config) => {
    const provider = name as Provider;
    const connector = FLEET[provider];
    if (connector === undefined) throw new Error(`There is no connector for ${provider}.`);
    const place = placeOf(connector, { provider, config });
    const same = Object.keys(config).filter(
      (field) => placeOf(connector, { provider, config: { ...config, [field]: 'x' } }) === place,
    );
    expect(same.sort()).toEqual([...SAME[provider]].sort());
    expect(place).not.toContain('hidden');
  },
);

test('without a word of the connector each field that is no secret tells places apart', () => {
  const connector = { secretFields: ['password'] };
  const at = (config: object) => placeOf(connector, { provider: 'Gamma', config: config as Record<string, unknown> });
  expect(at({ host: 'a', password: 'hidden' })).toBe(at({ password: 'q', host: 'a' }));
  expect(at({ host: 'a', user: 'u' })).not.toBe(at({ host: 'a', user: 'v' }));
});
