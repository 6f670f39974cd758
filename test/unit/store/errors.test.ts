import { DrizzleQueryError } from 'drizzle-orm';
import { DatabaseError } from 'pg';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import { isComingUp, isLostRace, storeError } from '../../../src/store/errors.ts';

function databaseError(code: string, message = 'words of the server'): DatabaseError {
  return Object.assign(new DatabaseError(message, message.length, 'error'), { code });
}

describe('storeError', () => {
  test.each([
    ['40001', 'STORE_CONFLICT'],
    ['40P01', 'STORE_CONFLICT'],
    ['55P03', 'STORE_CONFLICT'],
    ['23505', 'STORE_UNIQUE'],
    ['23503', 'STORE_REFERENCE'],
    ['22021', 'STORE_DATA'],
    ['22P02', 'STORE_DATA'],
    ['23502', 'STORE_DATA'],
    ['23514', 'STORE_DATA'],
    ['54000', 'STORE_DATA'],
    ['22P04', 'INTERNAL'],
    ['53100', 'STORE_UNAVAILABLE'],
    ['53300', 'STORE_UNAVAILABLE'],
    ['57P01', 'STORE_UNAVAILABLE'],
    ['57P03', 'STORE_UNAVAILABLE'],
    ['57014', 'STORE_UNAVAILABLE'],
    ['08006', 'STORE_UNAVAILABLE'],
    ['25006', 'STORE_UNAVAILABLE'],
    ['28P01', 'STORE_UNAVAILABLE'],
    ['3D000', 'STORE_UNAVAILABLE'],
    ['ECONNREFUSED', 'STORE_UNAVAILABLE'],
    ['ENETDOWN', 'STORE_UNAVAILABLE'],
    ['EHOSTDOWN', 'STORE_UNAVAILABLE'],
    ['ENOTCONN', 'STORE_UNAVAILABLE'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'STORE_UNAVAILABLE'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'STORE_UNAVAILABLE'],
    ['42501', 'INTERNAL'],
    ['42P01', 'INTERNAL'],
    ['XX000', 'INTERNAL'],
  ])('maps %s to %s', (state, code) => {
    expect(storeError(databaseError(state)).code).toBe(code);
  });

  test.each([
    ['duplicate key value violates unique constraint "profile_identities_pkey_102042"', 'STORE_UNIQUE'],
    ['canceling the transaction since it was involved in a distributed deadlock', 'STORE_CONFLICT'],
    ['connection to the remote node worker-1:5432 failed', 'STORE_UNAVAILABLE'],
  ])('reads the message where a distributed store says XX000: %s', (message, code) => {
    expect(storeError(databaseError('XX000', message)).code).toBe(code);
  });

  test('says what to do about a full disk and about too many connections', () => {
    expect(storeError(databaseError('53100')).message).toMatch(/disk of the store is full/);
    expect(storeError(databaseError('53300')).message).toMatch(/max_connections.*PENSTOCK_POOL_SIZE/);
  });

  test('says where to look when there is no TLS', () => {
    const refused = new Error('The server does not support SSL connections');
    expect(storeError(refused)).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(/sslmode/) });
  });

  test('looks behind drizzle, whose own message holds the parameters', () => {
    const cause = databaseError('23505', 'duplicate key');
    const mapped = storeError(new DrizzleQueryError('insert …', ['hunter2'], cause));
    expect(mapped).toMatchObject({ code: 'STORE_UNIQUE', cause });
    expect(mapped.message).not.toContain('hunter2');
  });

  test('looks into a refusal on several addresses, and passes an AppError as it is', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(storeError(new AggregateError([refused])).code).toBe('STORE_UNAVAILABLE');
    const own = new AppError('LEASE_LOST', 'Another worker took over.');
    expect(storeError(own)).toBe(own);
    expect(storeError('text').code).toBe('INTERNAL');
  });
});

describe('what may be tried again', () => {
  test('is a lost race, but neither a lock that was waited for nor a conflict that the work itself reported', () => {
    expect(isLostRace(storeError(databaseError('40001')))).toBe(true);
    expect(isLostRace(storeError(databaseError('40P01')))).toBe(true);
    expect(isLostRace(storeError(databaseError('55P03')))).toBe(false);
    expect(isLostRace(new AppError('STORE_CONFLICT', 'The profile changed.'))).toBe(false);
    expect(isLostRace(new Error('other'))).toBe(false);
  });

  test('is a server that starts, but not one that refuses us', () => {
    expect(isComingUp(storeError(databaseError('57P03')))).toBe(true);
    expect(isComingUp(storeError(databaseError('28P01')))).toBe(false);
  });
});
