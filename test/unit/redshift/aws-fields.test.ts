import { describe, expect, it } from 'vitest';
import { AWS_RULES, nameAwsFailure } from '../../../connectors/redshift/aws/aws-errors.ts';
import { placeOf } from '../../../connectors/redshift/aws/place.ts';
import { redshift } from '../../../connectors/redshift/index.ts';

const BASE = { host: 'shop.abc123.eu-west-1.redshift.amazonaws.com', database: 'shop' };
const KEY = { aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'secret' };
const ROLE = { aws_assume_role_arn: 'arn:aws:iam::123456789012:role/path/penstock' };

describe('the place of a connection that signs in through AWS', () => {
  it.each([
    [BASE, { kind: 'provisioned', cluster: 'shop', region: 'eu-west-1' }],
    [
      { ...BASE, host: `${BASE.host.toUpperCase()}.` },
      { kind: 'provisioned', cluster: 'shop', region: 'eu-west-1' },
    ],
    [
      { ...BASE, host: 'wg-1.123456789012.us-east-2.redshift-serverless.amazonaws.com' },
      { kind: 'serverless', workgroup: 'wg-1', region: 'us-east-2' },
    ],
    [
      { ...BASE, host: 'shop.abc123.cn-north-1.redshift.amazonaws.com.cn' },
      { kind: 'provisioned', cluster: 'shop', region: 'cn-north-1' },
    ],
    [
      { ...BASE, host: 'dwh.shop.example', workgroup_name: 'wg', aws_region: 'eu-west-3' },
      { kind: 'serverless', workgroup: 'wg', region: 'eu-west-3' },
    ],
    [
      { ...BASE, cluster_identifier: 'other', aws_region: 'eu-west-3' },
      { kind: 'provisioned', cluster: 'other', region: 'eu-west-3' },
    ],
  ])('of %j is %j', (config, place) => {
    expect(placeOf(config)).toEqual(place);
  });

  it.each([
    [{ ...BASE, host: 'dwh.shop.example' }, 'config.aws_region'],
    [{ ...BASE, host: 'dwh.shop.example', aws_region: 'eu-west-1' }, 'config.cluster_identifier'],
    [{ ...BASE, host: 'shop.abc123.eu-west-1.redshift.amazonaws.com.evil.example' }, 'config.aws_region'],
    [{ ...BASE, host: 'shop.abc123.s3.redshift.amazonaws.com' }, 'config.aws_region'],
  ])('of %j lacks %s', (config, field) => {
    expect(() => placeOf(config)).toThrow(field);
  });
});

describe('the fields of a connection', () => {
  it.each([
    { ...BASE, user: 'u', password: 'p' },
    { ...BASE, ...KEY },
    { ...BASE, ...KEY, user: 'u', aws_session_token: 'token' },
    { ...BASE, ...KEY, ...ROLE, aws_assume_role_external_id: 'x-1' },
    { ...BASE, ...ROLE },
    { ...BASE, workgroup_name: 'wg' },
  ])('%j are one way to sign in', (config) => {
    expect(redshift.checkConfig(config)).toEqual([]);
  });

  it.each([
    [BASE, 'lacks user and password'],
    [{ ...BASE, user: 'u' }, 'lacks password'],
    [{ ...BASE, password: 'p' }, 'lacks user'],
    [{ ...BASE, ...KEY, user: 'u', password: 'p' }, 'only one way'],
    [{ ...BASE, aws_access_key_id: KEY.aws_access_key_id }, 'without aws_secret_access_key'],
    [{ ...BASE, aws_secret_access_key: 'secret' }, 'without aws_access_key_id'],
    [{ ...BASE, ...ROLE, aws_session_token: 'token' }, 'without aws_access_key_id'],
    [{ ...BASE, ...KEY, aws_assume_role_external_id: 'x-1' }, 'without aws_assume_role_arn'],
    [{ ...BASE, ...KEY, workgroup_name: 'wg', cluster_identifier: 'c' }, 'one of the two'],
  ])('%j are not: %s', (config, message) => {
    expect(redshift.checkConfig(config)).toEqual([{ path: 'config', message: expect.stringContaining(message) }]);
  });

  it.each([
    ['aws_region', 'eu-west-1.evil.example/'],
    ['aws_region', 'EU-WEST-1'],
    ['aws_access_key_id', 'short'],
    ['aws_secret_access_key', 'line\nbreak'],
    ['aws_session_token', 'two words'],
    ['aws_assume_role_arn', 'arn:aws:iam::1:user/x'],
    ['cluster_identifier', 'Shop_Cluster'],
    ['workgroup_name', '../wg'],
  ])('refuse %s %j', (field, value) => {
    const complaints = redshift.checkConfig({ ...BASE, ...KEY, ...ROLE, [field]: value });
    expect(complaints.map(({ path }) => path)).toContain(`config.${field}`);
  });
});

describe('an error of AWS', () => {
  it.each(AWS_RULES.map(({ name, code }) => [name, code]))('%s is %s', (name, code) => {
    const failure = Object.assign(new Error('text'), { name: `${name}Exception`, $metadata: { httpStatusCode: 400 } });
    expect(nameAwsFailure(failure, [])).toMatchObject({ code, message: expect.stringContaining('text') });
  });

  it('shows no token, not even one that no field of the configuration holds', () => {
    const text = "should have been 'POST\nx-amz-security-token:FwoGZXIvYXdzEXAMPLE\n'";
    const failure = Object.assign(new Error(text), { name: 'SignatureDoesNotMatch' });
    const { message, cause } = nameAwsFailure(failure, []);
    expect([message, String(cause)].join()).not.toContain('FwoGZXIvYXdzEXAMPLE');
  });

  it.each([
    [undefined, 'WAREHOUSE_UNREACHABLE'],
    [503, 'WAREHOUSE_UNREACHABLE'],
    [403, 'WAREHOUSE_PERMISSION'],
    [429, 'WAREHOUSE_THROTTLED'],
    [400, 'WAREHOUSE_UNKNOWN'],
  ])('without a known name, with status %s, is %s', (httpStatusCode, code) => {
    const failure = Object.assign(new Error('text'), { name: 'Odd', $metadata: { httpStatusCode } });
    expect(nameAwsFailure(failure, [])).toMatchObject({ code });
  });
});
