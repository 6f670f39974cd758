import { describe, expect, it } from 'vitest';
import { attemptsOf, modeOf } from '../../../connectors/redshift/link/tls.ts';

const CONFIG = { host: 'db.example.com.', database: 'd', user: 'u', password: 'p' };

describe('TLS', () => {
  it.each([
    ['10.0.0.1', 'verify-full'],
    ['2001:db8::1', 'verify-full'],
    ['128.0.0.1', 'verify-full'],
    ['127.0.0.1', 'prefer'],
    ['127.9.9.9', 'prefer'],
    ['::1', 'prefer'],
    ['::ffff:127.0.0.1', 'prefer'],
  ])('to %s is %s where nothing is configured', (address, mode) => expect(modeOf(CONFIG, address)).toBe(mode));

  it('is what is configured, wherever the server is', () => {
    expect(modeOf({ ...CONFIG, sslmode: 'disable' }, '10.0.0.1')).toBe('disable');
    expect(modeOf({ ...CONFIG, sslmode: 'verify-full' }, '127.0.0.1')).toBe('verify-full');
  });

  it('checks the certificate for the name that was configured, not for the address it led to', () => {
    expect(attemptsOf(CONFIG, '10.0.0.1')).toEqual([{ servername: 'db.example.com', rejectUnauthorized: true }]);
    expect(attemptsOf({ ...CONFIG, host: '10.0.0.1' }, '10.0.0.1')).toEqual([{ rejectUnauthorized: true }]);
  });

  it('falls back to none only where it is merely preferred', () => {
    expect(attemptsOf({ ...CONFIG, sslmode: 'prefer' }, '10.0.0.1')).toEqual([
      { rejectUnauthorized: false },
      undefined,
    ]);
    for (const sslmode of ['require', 'verify-ca', 'verify-full']) {
      expect(attemptsOf({ ...CONFIG, sslmode }, '127.0.0.1')).not.toContain(undefined);
    }
  });
});
