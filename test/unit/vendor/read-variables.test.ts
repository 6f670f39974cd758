import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readVariables, variablesOf } from '../../vendor/read-variables.ts';
import { VENDOR_NAMES, VENDORS } from '../../vendor/vendors.ts';

const POSTGRESQL = {
  VENDOR_POSTGRESQL_HOST: 'db.example.com',
  VENDOR_POSTGRESQL_DATABASE: 'postgres',
  VENDOR_POSTGRESQL_USER: 'tester',
  VENDOR_POSTGRESQL_PASSWORD: 'a secret',
};

test('an account is read from one variable for each field, and its secrets are known', () => {
  expect(readVariables('postgresql', { ...POSTGRESQL, PATH: '/bin' })).toEqual({
    config: { host: 'db.example.com', port: '5432', database: 'postgres', user: 'tester', password: 'a secret' },
    secrets: ['a secret'],
  });
});

test.each(VENDOR_NAMES)('without variables %s is skipped, with the reason', (vendor) => {
  const prefix = `VENDOR_${vendor.toUpperCase()}_`;
  expect(readVariables(vendor, { PATH: '/bin', [`${prefix}USER`]: '' })).toEqual({
    skipped: expect.stringContaining(`no variable ${prefix}… is set`),
  });
});

test.each(VENDOR_NAMES)('%s gives no variable for what the run creates, unless it starts from one', (vendor) => {
  const { spaceField, startsFromSpace = false } = VENDORS[vendor];
  expect(variablesOf(vendor).some(({ field }) => field === spaceField)).toBe(startsFromSpace);
});

test('a name with a typing error is named, with those that are known', () => {
  const read = readVariables('postgresql', { ...POSTGRESQL, VENDOR_POSTGRESQL_PASWORD: 'a secret' });
  expect(read).toEqual({
    complaints: [expect.stringMatching(/^VENDOR_POSTGRESQL_PASWORD is unknown\. Known are .*_PASSWORD/)],
  });
});

test('what the connector refuses is said of the variable, without its value', () => {
  const read = readVariables('snowflake', {
    VENDOR_SNOWFLAKE_ACCOUNT_IDENTIFIER: 'https://x',
    VENDOR_SNOWFLAKE_PASSWORD: 'a secret',
  });
  const text = JSON.stringify(read);
  expect(text).toContain('VENDOR_SNOWFLAKE_ACCOUNT_IDENTIFIER must be an account');
  expect(text).toContain('VENDOR_SNOWFLAKE_WAREHOUSE');
  expect(text).not.toContain('a secret');
});

test('numbers are numbers, and what is no number is refused', () => {
  const bytes = (text: string) => readVariables('bigquery', { VENDOR_BIGQUERY_MAXIMUM_BYTES_BILLED: text });
  expect(JSON.stringify(bytes('20000000'))).not.toContain('MAXIMUM_BYTES_BILLED');
  expect(JSON.stringify(bytes('much'))).toContain('VENDOR_BIGQUERY_MAXIMUM_BYTES_BILLED must be a whole number');
});

test('a variable with _FILE gives the text of a file, and only one of the two may be set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendor-'));
  try {
    const file = join(folder, 'password');
    writeFileSync(file, 'from a file');
    const { VENDOR_POSTGRESQL_PASSWORD: _, ...rest } = POSTGRESQL;
    expect(readVariables('postgresql', { ...rest, VENDOR_POSTGRESQL_PASSWORD_FILE: file })).toMatchObject({
      secrets: ['from a file'],
    });
    expect(readVariables('postgresql', { ...POSTGRESQL, VENDOR_POSTGRESQL_PASSWORD_FILE: file })).toEqual({
      complaints: ['VENDOR_POSTGRESQL_PASSWORD and VENDOR_POSTGRESQL_PASSWORD_FILE are both set. Unset one of them.'],
    });
    expect(readVariables('postgresql', { ...rest, VENDOR_POSTGRESQL_PASSWORD_FILE: `${file}.no` })).toEqual({
      complaints: [expect.stringContaining('VENDOR_POSTGRESQL_PASSWORD_FILE names no file that can be read')],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
