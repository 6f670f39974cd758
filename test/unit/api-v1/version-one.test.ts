import { describe, expect, it } from 'vitest';
import { PROVIDER_FACTS } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';
import { renderMessage } from '../../../src/api-v1/render-errors.ts';
import { TIMESTAMP_TYPES } from '../../../src/api-v1/warehouses.ts';
import { connectionBody } from '../../../src/api-v1/wire/connection.ts';
import { AppError, say, template } from '../../../src/kernel/index.ts';
import type { Connection } from '../../../src/pipelines/connections/connection.ts';
import { type ConnectionConfig, parseIteratorType } from '../../../src/warehouse/index.ts';

describe('a warehouse of version 1', () => {
  const known = Object.values(PROVIDER_FACTS).flatMap(({ config, versionOne }) =>
    versionOne === undefined ? [] : [{ type: versionOne.type, config, versionOne }],
  );

  it('is one of three', () => {
    expect(known.map(({ type }) => type)).toEqual(['alpha', 'beta', 'gamma']);
  });

  it.each(known)(
    '$type has a field for everything that the specification requires, or a value',
    ({ config: { required, optional }, versionOne: { fields, defaults } }) => {
      const said = [...Object.keys(fields), ...Object.keys(defaults)];
      expect(required.filter((field) => !said.includes(field))).toEqual([]);
      expect(said.filter((field) => ![...required, ...optional].includes(field))).toEqual([]);
    },
  );

  it.each(TIMESTAMP_TYPES)('has types that version 2 has too: %s', (type) => {
    expect(parseIteratorType(type)).toBeDefined();
  });
});

describe('a connection that version 1 makes', () => {
  const said = {
    Alpha: {
      ...{ account_identifier: 'org-account1', region: 'us-east-1', warehouse: 'wh', database: 'db', user: 'u' },
      ...{ role: 'r', password: 'p', aws_iam_user_arn: 'arn:aws:iam::1:user/x', aws_external_id: 'external' },
    },
    Gamma: { host: 'db.example.com', port: '5439', database: 'd', user: 'u', password: 'p' },
  } as const;

  it.each(Object.entries(said))('of %s suits its connector', (provider, config) => {
    const { versionOne } = PROVIDER_FACTS[provider as keyof typeof said];
    expect(FLEET[provider as keyof typeof said]?.checkConfig({ ...versionOne?.defaults, ...config })).toEqual([]);
  });

  it.each([
    ['a key', { private_key: 'sealed', private_key_passphrase: 'sealed' }],
    ['a token', { programmatic_access_token: 'sealed' }],
  ])('signs in by its password instead of %s, and keeps it without one', (_, signIn) => {
    const { aws_iam_user_arn, aws_external_id, account_identifier, password, ...same } = said.Alpha;
    const kept = { storage_integration: '', schema: 'shop' };
    const config = { ...same, ...kept, ...signIn, account_identifier, aws_iam_user_arn, aws_external_id };
    const stored = { provider: 'Alpha', state: 'active', config } as unknown as Connection;
    const body = { id: 'shop', name: 'Shop', type: 'alpha', source_account_id: account_identifier, ...same };
    const asked = connectionBody(FLEET, { ...body, password }, stored).config;
    expect(asked).toEqual({ ...same, ...kept, account_identifier, password });
    expect(FLEET.Alpha?.checkConfig(asked as ConnectionConfig)).toEqual([]);
    expect(Object.keys(connectionBody(FLEET, body, stored).config)).toEqual(
      expect.arrayContaining(Object.keys(signIn)),
    );
  });

  it('of BigQuery signs in by its key instead of another sign-in, and keeps that without one', () => {
    const place = { project_id: 'my-project', dataset_id: 'shop' };
    const config = { ...place, workload_identity: 'sealed', maximum_bytes_billed: 20_000_000 };
    const stored = { provider: 'Beta', state: 'active', config } as unknown as Connection;
    const body = { id: 'shop', name: 'Shop', type: 'beta', ...place };
    const key = { service_account_id: 'a@b.iam.gserviceaccount.com', service_account_key: 'k' };
    expect(Object.keys(connectionBody(FLEET, { ...body, ...key }, stored).config)).not.toContain('workload_identity');
    expect(Object.keys(connectionBody(FLEET, body, stored).config)).toContain('workload_identity');
  });
});

describe('what a warehouse says, in the words of version 1', () => {
  it.each([
    ['Look at {config.user} or {config.aws_iam_role_arn}.', 'Look at user or gamma_aws_iam_role_arn.'],
    [
      'Set {config.sslmode}, then {config.private_key}',
      'Set config.sslmode (version 2), then config.private_key (version 2)',
    ],
    ['({config.account_identifier})', '(source_account_id)'],
    ['{config.constructor} and {constructor}', 'config.constructor (version 2) and constructor'],
  ])('names fields of a configuration: %s', (said, inTheirs) => {
    expect(renderMessage({}, template(said))).toBe(inTheirs);
  });

  it.each([
    'relation "config.users" does not exist',
    "Table 'config.user' was not found",
    'permission denied for config.user',
    'The server says: {config.user}.',
  ])('leaves what a server says as it is: %s', (said) => {
    expect(renderMessage({}, say`${said} ${template('Look at {config.user}.')}`)).toBe(`${said} Look at user.`);
    expect(renderMessage({}, { message: said })).toBe(said);
  });
});

describe('an error, and what an API needs to say it anew', () => {
  it('keeps its pieces and parameters when somebody says what it is about', () => {
    const error = new AppError('WAREHOUSE_CREDENTIALS', template('Look at {config.user}.'), {
      parameters: { id: 'shop' },
    });
    const about = error.about('connection');
    expect([about.message, about.subject, about.parameters]).toEqual([
      'Look at config.user.',
      'connection',
      { id: 'shop' },
    ]);
    expect(renderMessage({}, about)).toBe('Look at user.');
    expect(about.about('pipeline')).toBe(about);
  });
});
