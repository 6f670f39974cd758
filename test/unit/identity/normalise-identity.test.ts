import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWriteKey, KEY_BYTES } from '../../../src/identity/identity-key.ts';
import type { Identity } from '../../../src/identity/index.ts';
import { isIdentity, normaliseIdentity } from '../../../src/identity/normalise-identity.ts';
import { Secret } from '../../../src/kernel/index.ts';

function hashWith(secret: string, environment: 'production' | 'development') {
  const writeKey = createWriteKey(new Secret(secret), environment);
  return (identity: Identity): string => {
    const key = Buffer.alloc(KEY_BYTES);
    writeKey(identity, key, 0);
    return key.toString('hex');
  };
}

const hash = hashWith('a key of the test', 'production');

describe('normaliseIdentity', () => {
  it('trims and keeps the value as given', () => {
    expect(normaliseIdentity('email', '  Ann@Example.com\t')).toEqual({ type: 'email', value: 'Ann@Example.com' });
  });

  it.each([
    ['', 'is empty'],
    ['   ', 'is empty'],
    ['a\0b', 'U+0000'],
    ['a\ud800', 'half of a surrogate pair'],
    ['a'.repeat(1025), '1024 bytes'],
    ['é'.repeat(513), '1024 bytes'],
  ])('refuses %j', (value, words) => {
    expect(normaliseIdentity('other', value)).toEqual({ path: 'other', message: expect.stringContaining(words) });
  });

  it('takes values of exactly 1,024 bytes', () => {
    expect(isIdentity(normaliseIdentity('other', 'é'.repeat(512)))).toBe(true);
    expect(isIdentity(normaliseIdentity('other', '𝒳'.repeat(256)))).toBe(true);
  });

  it('lets through only text that UTF-8 carries unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (given) => {
        const result = normaliseIdentity('other', given);
        if (!isIdentity(result)) return;
        expect(Buffer.from(result.value, 'utf8').toString('utf8')).toBe(result.value);
        expect(Buffer.byteLength(result.value)).toBeLessThanOrEqual(1024);
        expect(result.value).not.toContain('\0');
      }),
    );
  });
});

describe('the identity hash', () => {
  it('gives equal identities equal keys and matches e-mail in lower case alone', () => {
    expect(hash({ type: 'email', value: 'ANN@example.com' })).toBe(hash({ type: 'email', value: 'ann@example.com' }));
    expect(hash({ type: 'other', value: 'ANN' })).not.toBe(hash({ type: 'other', value: 'ann' }));
    expect(hash({ type: 'other', value: 'x' })).toMatch(/^[0-9a-f]{32}$/);
  });

  it('keeps types, environments and keys apart', () => {
    const development = hashWith('a key of the test', 'development');
    const foreign = hashWith('another key', 'production');
    const identity = { type: 'other', value: 'x' } as const;
    const keys = [hash(identity), development(identity), foreign(identity), hash({ type: 'alias', value: 'x' })];
    expect(new Set(keys).size).toBe(4);
  });
});
