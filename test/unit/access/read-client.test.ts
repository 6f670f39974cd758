import { describe, expect, test } from 'vitest';
import { readClient } from '../../../src/access/tokens/read-client.ts';
import type { AppError } from '../../../src/kernel/index.ts';

const body = { audience: 'https://x', grant_type: 'client_credentials' };
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const read = (...args: Parameters<typeof readClient>) => {
  const { clientId, clientSecret } = readClient(...args);
  return [clientId, clientSecret.reveal()];
};
const codeOf = (...args: Parameters<typeof readClient>): string => {
  try {
    readClient(...args);
    return 'accepted';
  } catch (error) {
    return (error as AppError).code;
  }
};

describe('client id and secret', () => {
  test('are taken from the body', () => {
    expect(read({ ...body, client_id: 'a', client_secret: 'b' }, undefined)).toEqual(['a', 'b']);
  });

  test('are taken from HTTP Basic, whatever the case of the word', () => {
    expect(read(body, basic('a:b'))).toEqual(['a', 'b']);
    expect(read(body, basic('a:b').replace('Basic', 'basic'))).toEqual(['a', 'b']);
  });

  test('keep colons of the secret', () => {
    expect(read(body, basic('a:b:c'))).toEqual(['a', 'b:c']);
  });

  test('may repeat the id in the body', () => {
    expect(read({ ...body, client_id: 'a' }, basic('a:b'))).toEqual(['a', 'b']);
  });

  test('are refused when they come twice or contradict', () => {
    expect(codeOf({ ...body, client_id: 'a', client_secret: 'b' }, basic('a:b'))).toBe('VALIDATION_FAILED');
    expect(codeOf({ ...body, client_id: 'z' }, basic('a:b'))).toBe('VALIDATION_FAILED');
  });

  test('are refused when one is missing', () => {
    expect(codeOf(body, undefined)).toBe('VALIDATION_FAILED');
    expect(codeOf({ ...body, client_id: 'a' }, undefined)).toBe('VALIDATION_FAILED');
    expect(codeOf({ ...body, client_secret: 'b' }, undefined)).toBe('VALIDATION_FAILED');
  });

  test.each(['Bearer abc', 'Basic', 'Basic ***', basic('no colon'), ''])('are not read from %j', (header) => {
    expect(codeOf(body, header)).toBe('UNAUTHENTICATED');
  });
});
