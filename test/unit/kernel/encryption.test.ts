import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing, type EncryptionKey, Secret } from '../../../src/kernel/index.ts';

const newKey = (id: string): EncryptionKey => ({ id, key: new Secret(randomBytes(32).toString('base64')) });
const OLD = newKey('2025');
const NEW = newKey('2026');
const unreadable = expect.objectContaining({ code: 'SECRET_UNREADABLE' });
const invalid = expect.objectContaining({ code: 'CONFIG_INVALID' });

describe('the key ring', () => {
  const ring = createKeyRing([OLD]);

  test.each(['', 'p4ssw0rd', 'ключ 🔑', 'x'.repeat(100_000)])('gives back what it encrypted', (plain) => {
    expect(ring.decrypt(ring.encrypt(new Secret(plain), 'row 1'), 'row 1').reveal()).toBe(plain);
  });

  test('never writes the same text twice, and never the plain one', () => {
    const texts = [1, 2].map(() => ring.encrypt(new Secret('p4ssw0rd'), 'c'));
    expect(texts[0]).not.toBe(texts[1]);
    expect(texts.join()).not.toContain('p4ssw0rd');
  });

  test('refuses a text that was moved to another place', () => {
    const text = ring.encrypt(new Secret('x'), 'workspace 1');
    expect(() => ring.decrypt(text, 'workspace 2')).toThrow(unreadable);
  });

  test('refuses a text of which any part was changed, cut or lengthened', () => {
    const parts = ring.encrypt(new Secret('some words'), 'c').split('.');
    for (let part = 1; part < parts.length; part += 1) {
      const changed = parts.with(part, flipFirst(parts[part] ?? ''));
      expect(() => ring.decrypt(changed.join('.'), 'c')).toThrow(unreadable);
      expect(() => ring.decrypt(parts.with(part, '').join('.'), 'c')).toThrow(unreadable);
      expect(() => ring.decrypt(parts.slice(0, part).join('.'), 'c')).toThrow(unreadable);
    }
    expect(() => ring.decrypt([...parts, 'more'].join('.'), 'c')).toThrow(unreadable);
    expect(() => ring.decrypt('', 'c')).toThrow(unreadable);
  });
});

describe('rotation', () => {
  test('a new key in front encrypts, the old one still decrypts', () => {
    const before = createKeyRing([OLD]).encrypt(new Secret('x'), 'c');
    const rotated = createKeyRing([NEW, OLD]);
    const after = rotated.encrypt(new Secret('x'), 'c');
    expect(rotated.currentKeyId).toBe('2026');
    expect([before, after].map((text) => rotated.needsRotation(text))).toEqual([true, false]);
    expect([before, after].map((text) => rotated.decrypt(text, 'c').reveal())).toEqual(['x', 'x']);
  });

  test('without the old key its texts are refused, and the message names the key', () => {
    const before = createKeyRing([OLD]).encrypt(new Secret('x'), 'c');
    expect(() => createKeyRing([NEW]).decrypt(before, 'c')).toThrow(/"2025"/);
  });
});

describe('a wrong configuration', () => {
  test.each<[string, readonly EncryptionKey[]]>([
    ['no key', []],
    ['a short key', [{ id: 'a', key: new Secret(randomBytes(31).toString('base64')) }]],
    ['a key in hex', [{ id: 'a', key: new Secret(randomBytes(32).toString('hex')) }]],
    ['an empty key', [{ id: 'a', key: new Secret('') }]],
    ['an id with a dot', [{ ...OLD, id: 'a.b' }]],
    ['an empty id', [{ ...OLD, id: '' }]],
    ['a bad key behind a good one', [NEW, { id: 'a', key: new Secret('AAAA') }]],
    ['one id twice', [NEW, { ...OLD, id: NEW.id }]],
  ])('%s is refused', (_what, keys) => {
    expect(() => createKeyRing(keys)).toThrow(invalid);
  });

  test('its message never holds the key', () => {
    expect(() => createKeyRing([{ id: 'a', key: new Secret('c2VjcmV0') }])).toThrow(/^((?!c2VjcmV0).)*$/s);
  });
});

function flipFirst(part: string): string {
  return `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;
}
