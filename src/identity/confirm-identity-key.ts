import { createHmac } from 'node:crypto';
import { AppError, type Secret } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { identityKeyMark } from './tables.ts';

const THE_ONLY = 1;

/**
 * Verifies that the store was filled under this identity key. The first start stores a fingerprint of the key; every later
 * start must bring the same key. Under another key nobody would be recognised, and each person would get a second profile.
 * Throws CONFIG_INVALID for another key.
 */
export async function confirmIdentityKey(sql: Sql, key: Secret): Promise<void> {
  const fingerprint = createHmac('sha256', key.reveal()).update('penstock identity key').digest('hex');
  await sql.orm.insert(identityKeyMark).values({ id: THE_ONLY, fingerprint }).onConflictDoNothing();
  const [mark] = await sql.orm.select().from(identityKeyMark);
  if (mark?.fingerprint === fingerprint) return;
  throw new AppError(
    'CONFIG_INVALID',
    'PENSTOCK_IDENTITY_KEY: this store was filled with another identity key, which can never change. Set the key that ' +
      'the store was first started with; the embedded store keeps it in keys/identity of its home.',
  );
}
