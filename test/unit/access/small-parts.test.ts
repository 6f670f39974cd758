import { expect, test } from 'vitest';
import {
  generateCredential,
  generateTokenId,
  isCredentialId,
} from '../../../src/access/credentials/generate-credential.ts';
import { previousUntil } from '../../../src/access/credentials/rotation-grace.ts';
import { readName } from '../../../src/access/organisations/read-name.ts';
import { monthsBefore } from '../../../src/access/settings/months-before.ts';
import { TOKEN_LIFETIME_SECONDS, tokenClaims } from '../../../src/access/tokens/token-claims.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';

test('a credential is 16 and 32 random bytes that no shell or URL has to escape', () => {
  const many = Array.from({ length: 200 }, () => generateCredential());
  expect(new Set(many.map(({ id }) => id)).size).toBe(200);
  expect(new Set(many.map(({ secret }) => secret.reveal())).size).toBe(200);
  for (const { id, secret } of many) {
    expect(isCredentialId(id)).toBe(true);
    expect(secret.reveal()).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify({ id, secret })).not.toContain(secret.reveal());
  }
});

test.each(['', 'x', '\0'.repeat(32), 'A'.repeat(32), '0'.repeat(33)])('%j is no credential id', (text) => {
  expect(isCredentialId(text)).toBe(false);
});

test('token claims say who, for whom and for eight hours', () => {
  const nowMs = Date.UTC(2026, 0, 1) + 999;
  const tokenId = generateTokenId();
  expect(tokenClaims({ clientId: 'c', baseUrl: 'https://x', nowMs, tokenId })).toEqual({
    iss: 'https://x',
    aud: 'https://x',
    sub: 'c',
    iat: Date.UTC(2026, 0, 1) / 1000,
    exp: Date.UTC(2026, 0, 1) / 1000 + TOKEN_LIFETIME_SECONDS,
    jti: tokenId,
  });
  expect(TOKEN_LIFETIME_SECONDS).toBe(28_800);
});

test('months before keeps the day where the month has it', () => {
  const before = (time: string, months: number) => monthsBefore(new Date(time), months).toISOString();
  expect(before('2026-03-31T10:00:00.000Z', 1)).toBe('2026-02-28T10:00:00.000Z');
  expect(before('2024-03-31T10:00:00.000Z', 1)).toBe('2024-02-29T10:00:00.000Z');
  expect(before('2026-01-15T00:00:00.000Z', 12)).toBe('2025-01-15T00:00:00.000Z');
  expect(before('2026-01-15T00:00:00.000Z', 25)).toBe('2023-12-15T00:00:00.000Z');
});

test('names are trimmed, and refused when empty, too long or unprintable', () => {
  expect(readName('name', '  Müller & Söhne 🧀 ')).toBe('Müller & Söhne 🧀');
  for (const text of ['', '   ', 'x'.repeat(257), 'a\u0000b', 'a\nb', '\ud800']) {
    expect(() => readName('workspace', text)).toThrow(/^workspace: /);
  }
});

test('a rotated secret ends within 30 days', () => {
  const clock = fakeClock(0);
  expect(previousUntil(clock, 0)).toEqual(new Date(0));
  expect(previousUntil(clock, 3_600_000)).toEqual(new Date(3_600_000));
  for (const graceMs of [-1, Number.NaN, 31 * 86_400_000]) expect(() => previousUntil(clock, graceMs)).toThrow('720');
});
